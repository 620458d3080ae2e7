#!/bin/sh
# lookup.sh PARAMS RESULTS LIST COLUMN: the objective is that column of the row of LIST, a CSV file, whose other
# columns have the values in PARAMS. Columns that PARAMS does not have are left out of the comparison.
awk -v column="$4" -v results="$2" -v list="$3" '
  FNR == NR { given[$1] = $2; next }
  FNR == 1 { n = split($0, name, ","); next }
  {
    split($0, value, ",")
    for (k = 1; k <= n; ++k) {
      if (!(name[k] in given)) continue
      difference = value[k] - given[name[k]]
      if (value[k] != given[name[k]] && (value[k] !~ /^[-+.0-9]/ || difference * difference > 1e-18 * value[k] * value[k])) next
    }
    for (k = 1; k <= n; ++k) if (name[k] == column) { printf "objective %s\n", value[k] > results; found = 1 }
    exit
  }
  END { if (!found) { printf "%s has no such design, or no column %s\n", list, column > "/dev/stderr"; exit 1 } }' "$1" "$3"
