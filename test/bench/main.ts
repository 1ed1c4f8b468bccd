/**
 * `npm run bench [-- --parts=reads,writes] [--seconds=4]`: measures speed and memory as ratios within one run, so that
 * slow and noisy machines give the same ratios as fast ones. Most rows are server CPU time per request, beside a
 * baseline. Prints the figures; only `growth` fails on them. `--parts=help` lists the parts. `--write` adds the figures
 * of `floor` and `growth` to docs/reference/performance.md.
 *
 * `cluster` and `garbage` measure another server with --server=<origin> --token=<token> (and --domain=<suffix of API
 * group names>); `evictions`, `slices` and `workloads` with --server=127.0.0.1:<port> --token=<token>, which must run
 * its controllers (`workloads`: --pid=<process of the controllers>).
 */
import { access } from './access/access';
import { flow } from './access/flow';
import { hostile } from './access/hostile';
import { policies } from './access/policies';
import { traces } from './access/traces';
import { cluster } from './controllers/cluster';
import { evictions } from './controllers/evictions';
import { garbage } from './controllers/garbage';
import { idle } from './controllers/idle';
import { slices } from './controllers/slices';
import { workloads } from './controllers/workloads';
import { backups } from './custom/backups';
import { conversions } from './custom/conversions';
import { custom } from './custom/custom';
import { definitions } from './custom/definitions';
import { floor } from './floor/floor';
import { growth } from './growth/growth';
import { lists } from './requests/lists';
import { memory } from './requests/memory';
import { pods } from './requests/pods';
import { reads } from './requests/reads';
import { services } from './requests/services';
import { watches } from './requests/watches';
import { writes } from './requests/writes';
import { hasOption, listOption } from './harness/settings';
import type { PerformanceResults } from '../support/documents/performance-page';
import { writeReport } from './performance-report';

interface Part {
  /** Runs when no parts are selected. */
  readonly isDefault?: true;
  readonly description: string;
  /** Results are what `--write` adds to the performance page. */
  run(): Promise<PerformanceResults | void> | void;
}

const PARTS: Readonly<Record<string, Part>> = {
  pods: { isDefault: true, description: 'the cost of decoding, defaulting and validating a Pod', run: pods },
  reads: { isDefault: true, description: 'the cost of reads, beside a bare TLS server that sends the same bytes', run: reads },
  watches: { isDefault: true, description: 'the cost of a change with many watches', run: watches },
  floor: { description: 'the ratios of the floors, each with its bound, and the cost of a get filter by filter', run: floor },
  growth: {
    description:
      "the exponents of costs while objects, watches, namespaces, definitions, roles and controllers' objects double five times, or of those with --only=<text> in their names; fails above the bounds (minutes)",
    run: growth,
  },
  writes: {
    isDefault: true,
    description: 'the cost of writes on etcd, beside the same transaction of the same client',
    run: writes,
  },
  services: { isDefault: true, description: 'the cost of creating a Service, beside a ConfigMap', run: services },
  access: { description: 'the cost of authentication, authorization and auditing', run: access },
  policies: { description: 'the cost of an admission policy, and of a webhook besides its round trip', run: policies },
  traces: { description: 'the cost of tracing a get', run: traces },
  flow: {
    description: 'the cost of flow control for a get, and the waits of a calm user while another one floods the server',
    run: flow,
  },
  hostile: {
    description:
      'the waits of another client for each of a table of hostile requests, or of those with --only=<text> in their names, --at-once=1 copies at a time',
    run: hostile,
  },
  lists: {
    description: 'the waits of another client while one lists --objects=60000 in every form of a list, on each of --stores (minutes)',
    run: lists,
  },
  custom: { description: 'the cost of creating objects of a kind with a schema of 30 members and three rules', run: custom },
  conversions: {
    description: 'the duration of a list of --converted=10000 objects in a version that a webhook converts, beside the webhook alone',
    run: conversions,
  },
  definitions: {
    description:
      'the time to install, read and publish --definitions=450 on each of --stores, and the waits of another client that reads --probed=<path> (minutes)',
    run: definitions,
  },
  backups: {
    description: 'the effect of a backup of --objects=100000 of 1.5 KB on the server, on each of --stores (minutes)',
    run: backups,
  },
  memory: {
    description: 'memory of an idle connection, and with --objects=112000 of 1.5 KB, each updated twice (minutes)',
    run: memory,
  },
  cluster: {
    description: 'the waits of a client while --nodes=200 start --pods=5000; both cores are busy for a minute',
    run: cluster,
  },
  evictions: {
    description: 'the duration of --evictions=100 under a budget that allows one disruption at a time',
    run: evictions,
  },
  slices: {
    description: 'the writes of the EndpointSlices of a Service while its --pods=5000 are replaced, and the time until they converge',
    run: slices,
  },
  idle: { description: 'memory and CPU of all controllers in one process during --idle=60 seconds without work', run: idle },
  workloads: {
    description:
      'the time and requests to create --pods=5000 of one Deployment, and the cost of the controllers then and in --idle=60 seconds; --nodes=0 nodes renew Leases and get the pods',
    run: workloads,
  },
  garbage: {
    description:
      'the time to collect chains and families of objects after their owner, and the cost of --objects=100000 for the collector (minutes)',
    run: garbage,
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
  let results: PerformanceResults = { figures: {} };
  for (const name of Object.keys(PARTS)) {
    const added = chosen.includes(name) ? await PARTS[name]?.run() : undefined;
    if (added !== undefined) results = { ...results, ...added, figures: { ...results.figures, ...added.figures } };
  }
  if (hasOption('write')) writeReport(results);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
