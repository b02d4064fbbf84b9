#!/bin/sh
# From a fresh Debian to commands that need no network, as root: `sh envs/fresh.sh STEP`, in this order.
# Containerfile, apptainer.def and benchmarks/fresh_root.py take these steps and no others.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
system)
	export DEBIAN_FRONTEND=noninteractive
	apt-get update >/dev/null
	apt-get install --yes --no-install-recommends git make python3 python3-venv >/dev/null
	rm -rf /var/lib/apt/lists/*
	;;
environment)
	make env env-docs env-equivariance env-images HASHES="${HASHES:-}"
	# Once, as an image may be read-only, and for a user of any number.
	.venv/bin/python -m compileall -q src
	chmod -R a+rwX .
	git config --system --add safe.directory "$PWD"
	;;
*)
	echo 'sh envs/fresh.sh system, then sh envs/fresh.sh environment' >&2
	exit 2
	;;
esac
