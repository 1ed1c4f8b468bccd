/**
 * `npm run bench [-- --parts=reads,writes] [--seconds=4]`: speed and memory as ratios within one run, so that a slow or noisy machine tells the same story as a fast
 * one. Most rows are server CPU per request, beside what it is compared with. Prints; never fails on a number. `--parts=help` tells what there is.
 *
 * `cluster` and `garbage` ask another server with --server=<origin> --token=<token> (and --domain=<end of the groups' names>); `evictions`, `slices` and `workloads` with
 * --server=127.0.0.1:<port> --token=<token>, which must have its controllers (`workloads`: --pid=<theirs>).
 */
import * as access from './parts/access';
import * as controllers from './parts/controllers';
import * as custom from './parts/custom';
import * as requests from './parts/requests';
import { listOption } from './settings';

interface Part {
  /** It is run when nothing is said. */
  readonly isDefault?: true;
  readonly description: string;
  run(): Promise<void> | void;
}

const PARTS: Readonly<Record<string, Part>> = {
  pods: { isDefault: true, description: 'what a Pod costs that comes in', run: requests.pods },
  reads: { isDefault: true, description: 'what reads cost, beside a bare TLS server that sends the same bytes', run: requests.reads },
  watches: { isDefault: true, description: 'what a change costs where many watch', run: requests.watches },
  writes: {
    isDefault: true,
    description: 'what writes cost on etcd, beside the same transaction of the same client',
    run: requests.writes,
  },
  services: { isDefault: true, description: 'what a Service costs, beside a ConfigMap', run: requests.services },
  access: { description: 'what it costs to know who asks, whether he may, and to record it', run: access.access },
  policies: { description: 'what it costs to ask a policy, and a webhook besides its round trip', run: access.policies },
  traces: { description: 'what it costs a get to be traced', run: access.traces },
  flow: { description: 'what flow control costs a get, and what a calm user waits while another one floods the server', run: access.flow },
  hostile: {
    description:
      'how long another client waits for each of a table of bad inputs, or of those with --only=<text> in their names, --at-once=1 of it at a time',
    run: access.hostile,
  },
  lists: {
    description:
      'how long another client waits while one asks for --objects=60000 in every form that a list can have, on each of --stores (minutes)',
    run: requests.lists,
  },
  custom: { description: 'what creating objects of a kind with a schema of 30 members and three rules costs', run: custom.custom },
  conversions: {
    description: 'how long a list of --converted=10000 objects takes in a version that a webhook converts, beside the webhook alone',
    run: custom.conversions,
  },
  definitions: {
    description:
      'how long --definitions=450 take to install, read and publish on each of --stores, and what another client waits that reads --probed=<path> (minutes)',
    run: custom.definitions,
  },
  backups: {
    description: 'what a backup of --objects=100000 of 1.5 KB costs the server beside it, on each of --stores (minutes)',
    run: custom.backups,
  },
  memory: { description: 'memory with --objects=112000 of 1.5 KB, each updated twice (minutes)', run: requests.memory },
  cluster: {
    description: 'what a client waits while --nodes=200 and --pods=5000 move; both cores are busy for a minute',
    run: controllers.cluster,
  },
  evictions: { description: 'how long --evictions=100 take under a budget that lets one pod go at a time', run: controllers.evictions },
  slices: {
    description: 'how often the EndpointSlices of a Service are written while its --pods=5000 are replaced, and how soon they are right',
    run: controllers.slices,
  },
  idle: { description: 'what all controllers in one process hold and do in --idle=60 seconds without work', run: controllers.idle },
  workloads: {
    description:
      'how long --pods=5000 of one Deployment take, with how many requests, and what the controllers cost then and in --idle=60 seconds',
    run: controllers.workloads,
  },
  garbage: {
    description:
      'how long chains and families of objects take to go after their owner, and what --objects=100000 cost the collector (minutes)',
    run: controllers.garbage,
  },
};

async function main(): Promise<void> {
  const defaultParts = Object.keys(PARTS).filter((name) => PARTS[name]?.isDefault);
  const chosen = listOption('parts', defaultParts.join(','));
  const unknown = chosen.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    for (const [name, { description }] of Object.entries(PARTS)) console.log(`${name.padEnd(12)} ${description}`);
    return;
  }
  for (const name of Object.keys(PARTS)) if (chosen.includes(name)) await PARTS[name]?.run();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
