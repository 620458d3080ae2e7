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
  as_root env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get -q update && '"$line" \
    </dev/null >"$log" 2>&1 || code=$?
  [ $code != 77 ] || die "packages are missing and there is no root access; run this line as root, then
${0##*/} again:
  $line"
  [ $code = 0 ] || { tail -n 20 "$log" >&2; die "apt failed; the line was: $line"; }
}

# logged WHAT COMMAND...   one line for what happens; all output only when it fails
logged() {
  say "$1"
  shift
  "$@" >"$log" 2>&1 </dev/null || { tail -n 60 "$log" >&2; die "failed: $*"; }
}

cores() {
  nproc 2>/dev/null || echo 1
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
