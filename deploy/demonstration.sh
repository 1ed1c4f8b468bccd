#!/usr/bin/env bash
# A cluster in two minutes: simulated nodes, a rolling update, a drain within a PodDisruptionBudget, a Job, an autoscaler.
# Starts a control plane of its own in a temporary folder and ends it. KUBECTL names kubectl, PORT the HTTPS port.
set -euo pipefail
cd "$(dirname "$0")/.."

kubectl=${KUBECTL:-kubectl}
port=${PORT:-16443}
folder=$(mktemp -d)
server=

command -v "$kubectl" >/dev/null || { echo "kubectl is needed on PATH, or in the variable KUBECTL" >&2; exit 1; }

finish() {
  [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
  rm -rf "$folder"
}
trap finish EXIT

# Prints a command and runs it.
run() {
  printf '\n$ kubectl %s\n' "$*"
  "$kubectl" --kubeconfig="$folder/admin.kubeconfig" "$@"
}

printf '%s\n' "$ npm start -- --simulated-nodes=3"
npm start --silent -- --data-dir="$folder" --secure-port="$port" --simulated-nodes=3 >"$folder/log" 2>&1 &
server=$!
# Until the control plane is ready, or for two minutes: `npm start` may build it first.
for _ in $(seq 240); do
  grep -q 'Ctrl-C ends it' "$folder/log" 2>/dev/null && break
  kill -0 "$server" 2>/dev/null || { cat "$folder/log"; exit 1; }
  sleep 0.5
done
# Until the simulation has created its last node, or for half a minute.
for _ in $(seq 60); do
  "$kubectl" --kubeconfig="$folder/admin.kubeconfig" get node simulated-3 >/dev/null 2>&1 && break
  sleep 0.5
done
run wait node --all --for=condition=Ready --timeout=30s
run get nodes

printf '\n%s\n' '# A Deployment, and a rolling update.'
run create deployment web --image=nginx:1.26 --replicas=3
run set resources deployment/web --requests=cpu=100m
run rollout status deployment/web --timeout=60s
run set image deployment/web nginx=nginx:1.27
run rollout status deployment/web --timeout=60s
run get pods -l app=web -o wide

printf '\n%s\n' '# A drain waits for the budget: two pods stay available.'
run create poddisruptionbudget web --selector=app=web --min-available=2
run drain simulated-1 --ignore-daemonsets --timeout=60s
run get pods -l app=web -o wide
run uncordon simulated-1

printf '\n%s\n' '# A Job completes.'
run create job hello --image=busybox -- echo hello
run wait job/hello --for=condition=Complete --timeout=60s

printf '\n%s\n' '# An autoscaler: the pods of the Deployment share a load of 400 thousandths of a core.'
run autoscale deployment/web --min=3 --max=10 --cpu-percent=50
run annotate deployment/web simulation.platform.io/cpu-load=400m
run wait deployment/web --for=jsonpath='{.status.readyReplicas}'=8 --timeout=90s
run get horizontalpodautoscaler web
run top pods -l app=web

printf '\n%s\n' 'The demonstration is complete.'
