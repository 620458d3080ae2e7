# shellcheck shell=bash disable=SC2154
# What tools/quickstart and tools/test share; sourced by both, not run. Needs $root, the top folder.

say() {
  printf '%s\n' "$*"
}

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# packages GROUP...   the names in tools/packages.txt that belong to these groups
packages() {
  local groups=" $* " group name
  while read -r group name; do
    case $groups in *" $group "*) printf '%s\n' "$name" ;; esac
  done < "$root/tools/packages.txt"
}

missing_packages() {
  local name
  for name in $(packages "$@"); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$name"
  done
}

# How to become root without being asked for a password that nobody can type.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo "$@"
  else
    return 77
  fi
}

# install_packages GROUP...   calls apt only when a package is missing
install_packages() {
  command -v dpkg-query >/dev/null || {
    say "not a Debian system: taking the libraries in tools/packages.txt as given"
    return 0
  }
  local missing line code=0
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  line="apt-get install -y --no-install-recommends ${missing% }"
  say "missing packages: ${missing% }"
  # shellcheck disable=SC2086  # one word per package
  watched as_root env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get -q update && '"$line" || code=$?
  [ $code != 77 ] || die "packages are missing and there is no root access; run this line as root, then
${0##*/} again:
  $line"
  [ $code = 0 ] || { tail -n 20 "$log" >&2; die "apt failed; the line was: $line"; }
}

# How far the command is that writes $log: a percentage of make, or the packages that apt is through with.
how_far() {
  awk '/^\[ *[0-9]+%\]/ { match($0, /[0-9]+/); percent = substr($0, RSTART, RLENGTH) }
       /^[0-9]+ upgraded, [0-9]+ newly installed/ { packages = $1 + $3 }
       /^Get:/ { fetched += 1 }
       /^Unpacking / { unpacked += 1 }
       /^Setting up / { ready += 1 }
       END {
         if (percent != "") print percent " %"
         else if (ready) print ready " of " packages " packages ready"
         else if (unpacked) print unpacked " of " packages " packages unpacked"
         else if (fetched) print fetched " files downloaded"
       }' "$log"
}

# Print how far the command is: on a terminal in one line that is written anew, elsewhere a line when something has changed.
show_progress() {
  local start=$SECONDS before='' now='' live='' every=20
  [ ! -t 1 ] || live=yes every=2
  while sleep "${GANNET_PROGRESS:-$every}" >/dev/null 2>&1; do # a sleep that outlives this holds no pipe open
    now=$(how_far 2>/dev/null)
    if [ -n "$live" ]; then
      printf '\r  %s, %d s\033[K' "${now:-working}" $((SECONDS - start))
    elif [ "$now" != "$before" ]; then
      say "  $now, $((SECONDS - start)) s"
    fi
    before=$now
  done
}

# watched COMMAND...   all output goes to $log; meanwhile progress is shown. The command stays in the
# foreground, so that Ctrl-C reaches it.
watched() {
  local code=0 watcher
  : >"$log"
  show_progress &
  watcher=$!
  "$@" >"$log" 2>&1 </dev/null || code=$?
  kill -KILL $watcher 2>/dev/null # its trap would remove $log when it has only begun
  wait $watcher 2>/dev/null || true
  [ ! -t 1 ] || printf '\r\033[K'
  return $code
}

# logged WHAT COMMAND...   a line for what happens, and how far it is; all output only when it fails
logged() {
  say "$1"
  shift
  watched "$@" || { tail -n 60 "$log" >&2; die "failed: $*"; }
}

cores() { # nproc counts threads of OpenMP, which login scripts of clusters set to one
  env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || echo 1
}

# build FOLDER CMAKE_ARGUMENT...
build() {
  local folder=$1
  shift
  logged "configuring $folder/" cmake -S "$root" -B "$root/$folder" "$@"
  logged "building $folder/ ($(cores) jobs)" cmake --build "$root/$folder" -j "$(cores)"
}

# What Open MPI and OpenBLAS have to be told: root and more ranks than cores are possible, and
# ranks are the parallelism, not threads.
set_up_mpi() {
  export OPENBLAS_NUM_THREADS=1
  if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  if [ "$(cores)" -lt "$1" ]; then
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  fi
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
