/**
 * The flags of the simulation program, and the checks of single values. What the flags start is left to program.ts.
 */
import { choiceFlag, FlagError, intFlag, listFlag, stringFlag, boolFlag, versionFlag, type FlagValues } from '../../shared/cli/flags';
import { logLevelFlag, verbosityFlag } from '../../shared/runtime/logger';
import { parseIpRange } from '../../shared/values/network/ip-address';
import { parseQuantity, QuantityError } from '../../shared/values/quantity';

const NODES = 'Simulated nodes';
const CLIENT = 'Client';
const SERVING = 'Serving';

/** The largest cluster that upstream supports. */
export const MAX_NODES = 5_000;

/** The flag table. */
export const flags = {
  nodes: intFlag({ section: NODES, help: 'Number of simulated nodes.', default: 3, min: 0, max: MAX_NODES }),
  'node-capacity': listFlag({
    section: NODES,
    help: 'Capacity of each node: resource=quantity, comma separated. Resources that are not listed keep their default.',
    default: [],
  }),
  zones: listFlag({ section: NODES, help: 'Zones of the nodes, assigned in turn.', default: ['zone-a', 'zone-b', 'zone-c'] }),
  'node-address-range': stringFlag({
    section: NODES,
    help: 'Range of the internal addresses of nodes. Nothing can be reached at them.',
    default: '172.30.0.0/16',
  }),
  'pod-address-range': stringFlag({
    section: NODES,
    help: 'Range of the addresses of pods on nodes without a podCIDR. Nothing can be reached at them.',
    default: '10.244.0.0/16',
  }),
  kubeconfig: stringFlag({ section: CLIENT, help: 'Kubeconfig with the API servers and credentials.', default: '' }),
  master: listFlag({
    section: CLIENT,
    help: 'Addresses of the API servers (comma separated; all serve the same API), in place of the one in the kubeconfig.',
    default: [],
  }),
  naming: choiceFlag({
    section: CLIENT,
    help: 'Dialect of generated names and of API groups. Must equal --naming of the API server.',
    default: 'platform',
    values: ['platform', 'kubernetes'],
  }),
  'leader-elect': boolFlag({
    section: CLIENT,
    help: 'Use leader election: of several processes, only one simulates.',
    default: true,
  }),
  'bind-address': stringFlag({
    section: SERVING,
    help: 'Address for the metrics API, and for requests to the kubelets of simulated nodes.',
    default: '127.0.0.1',
  }),
  'advertise-host': stringFlag({
    section: SERVING,
    help: 'Host name or address at which the API servers reach this process.',
    default: 'localhost',
  }),
  port: intFlag({ section: SERVING, help: 'Port for both; 0: any unused port.', default: 0, min: 0, max: 65_535 }),
  'requestheader-client-ca-file': stringFlag({
    section: SERVING,
    help: "Certificates (PEM) of the authority of the API servers' front-proxy certificate. Without it, no metrics are served.",
    default: '',
  }),
  'requestheader-allowed-names': listFlag({
    section: SERVING,
    help: 'Common names of front-proxy certificates that may read metrics.',
    default: ['front-proxy-client'],
  }),
  'log-level': logLevelFlag(CLIENT),
  v: verbosityFlag(CLIENT),
  version: versionFlag(CLIENT),
};

/** The parsed values, by flag. */
export type SimulationFlags = FlagValues<typeof flags>;

const DEFAULT_CAPACITY: Readonly<Record<string, string>> = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/**
 * The capacity of a node: the default with the items of `--node-capacity`, as quantities by resource name. Throws
 * {@link FlagError}.
 */
export function capacityOf(items: readonly string[]): Readonly<Record<string, string>> {
  const listed = items.map((item): readonly [string, string] => {
    const [name = '', quantity = ''] = item.split('=', 2);
    if (name === '' || !isPositive(quantity)) throw new FlagError(`--node-capacity: ${JSON.stringify(item)} must be resource=quantity`);
    return [name, quantity];
  });
  return { ...DEFAULT_CAPACITY, ...Object.fromEntries(listed) };
}

/** Returns the error of values that are out of range; `undefined` when there is none. */
export function validateFlags(values: SimulationFlags): string | undefined {
  for (const name of ['node-address-range', 'pod-address-range'] as const)
    if (parseIpRange(values[name]) === undefined) return `--${name} must be a range of IP addresses`;
  if (values.kubeconfig === '') return '--kubeconfig is required';
  return undefined;
}

function isPositive(text: string): boolean {
  try {
    return parseQuantity(text).nanos > 0n;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
