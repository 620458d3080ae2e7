#!/bin/sh
# The simulation of shell.yaml. It runs in its own directory. GANNET_PARAMS and GANNET_RESULTS contain
# the names of the files; their usual names work as well.
awk '
  { value[$1] = $2 }
  END {
    if (value["material"] == "clay" && value["stages"] > 4) {
      print "fail clay cracks with more than four stages"
      exit
    }
    gain = 4 - (value["speed"] - 6)^2 / 9 - (log(value["rate"]) / log(10) + 4)^2 / 2
    gain += (value["heated"] == "true") + 0.2 * value["stages"] + (value["material"] == "copper")
    print "objective", gain
    print "pressure", value["speed"] + value["stages"] / 2
  }' params.in > results.part
mv results.part results.out
