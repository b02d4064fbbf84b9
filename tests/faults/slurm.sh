#!/usr/bin/env bash
# Stands in for Slurm, by the name of the command that it is called as. Jobs are files of the folder
# $FAKE_SLURM; a file COMMAND.fails, .hangs, .lists_nothing, .raves there has the command do so.
set -u
command=${0##*/} folder=$FAKE_SLURM
for how in fails hangs raves lists_nothing; do
  if [ -e "$folder/$command.$how" ]; then printf "$how" >> "$folder/$command.calls"; fi
done
if [ -e "$folder/$command.fails" ]; then echo "$command: error: Connection refused" >&2; exit 1; fi
if [ -e "$folder/$command.hangs" ]; then exec sleep 600; fi
if [ -e "$folder/$command.raves" ]; then printf 'slurm_load_jobs "\0 ...|\n'; exit 0; fi
if [ -e "$folder/$command.lists_nothing" ]; then exit 0; fi

state() {
  if [ ! -s "$folder/$1.code" ]; then echo RUNNING
  elif [ -e "$folder/$1.cancelled" ]; then echo CANCELLED
  elif [ "$(cat "$folder/$1.code")" = 0 ]; then echo COMPLETED
  else echo FAILED; fi
}

case $command in
sbatch)
  output=/dev/null wrapped=
  while [ $# -gt 0 ]; do
    case $1 in
    --output) output=$2; shift ;;
    --wrap=*) wrapped=${1#--wrap=} ;;
    -D) cd "$2" || exit 1; shift ;;
    esac
    shift
  done
  # The session's number is the job's.
  setsid bash -c '
    echo $$ > "$1/new.$2" && mv "$1/new.$2" "$1/id.$2"
    SLURM_JOB_ID=$$ SLURM_JOBID=$$ SLURM_CPUS_PER_TASK=1 bash -c "$4" > "${3/\%j/$$}" 2>&1
    echo $? > "$1/$$.code"' job "$folder" $$ "$output" "$wrapped" >/dev/null 2>&1 </dev/null &
  until [ -s "$folder/id.$$" ]; do sleep 0.05; done
  id=$(cat "$folder/id.$$")
  mv "$folder/id.$$" "$folder/$id.job"
  echo "$id"
  ;;
squeue | sacct)
  for job in "$folder"/*.job; do
    [ -e "$job" ] || continue
    id=$(basename "$job" .job)
    echo "$id|$(state "$id")"
  done
  ;;
scancel)
  for id in "$@"; do
    case $id in *[!0-9]*) continue ;; esac
    touch "$folder/$id.cancelled"
    pkill --signal TERM --session "$id" --full snakemake/scripts
  done
  exit 0
  ;;
srun)
  while [ "${1:0:1}" = - ]; do shift; done
  exec "$@"
  ;;
scontrol) echo "MinJobAge = 300 sec" ;;
sinfo) printf "PARTITION\nall*\n" ;;
esac
