/** The local runner's own flags. Other flags are passed to each API server, which validates them. */
import path from 'node:path';
import { versionText } from '../../shared/names/dialect';
import { intFlag, listFlag, parseFlags, stringFlag, versionFlag, type FlagValues, type ParsedFlags } from '../../shared/cli/flags';

const table = {
  'data-dir': stringFlag({
    section: 'Local runner',
    help: 'Folder for certificates, the admin kubeconfig, process IDs and, with the embedded store, all data.',
    default: '.platform',
  }),
  'secure-port': intFlag({ section: 'Local runner', help: 'HTTPS port of the first API server.', default: 6443, min: 1, max: 65_535 }),
  'insecure-port': intFlag({
    section: 'Local runner',
    help: 'Plain HTTP port of the first API server on the loopback address, where every request has administrator rights; 0 disables it.',
    default: 0,
    min: 0,
    max: 65_535,
  }),
  'etcd-servers': listFlag({
    section: 'Local runner',
    help: 'URLs of etcd members (scheme://host:port, comma-separated) to use instead of the embedded store.',
    default: [],
  }),
  replicas: intFlag({
    section: 'Local runner',
    help: 'Number of API servers, on consecutive ports. More than one needs --etcd-servers.',
    default: 1,
    min: 1,
    max: 32,
  }),
  'service-cluster-ip-range': stringFlag({
    section: 'Local runner',
    help: 'CIDR ranges of the cluster IPs of Services. The serving certificate covers the first address of the first range.',
    default: '10.0.0.0/24',
  }),
  controllers: listFlag({
    section: 'Local runner',
    help: "Controllers to run: '*' selects all that are on by default, 'foo' adds foo, '-foo' removes foo, '-*' selects none.",
    default: ['*', 'tokencleaner', 'bootstrapsigner'],
  }),
  'simulated-nodes': intFlag({
    section: 'Local runner',
    help: 'Number of simulated nodes, on which pods are scheduled and become ready without containers; 0 = no simulation.',
    default: 0,
    min: 0,
    max: 5_000,
  }),
  'simulated-node-capacity': listFlag({
    section: 'Local runner',
    help: 'Capacity of each simulated node: resource=quantity, comma separated (cpu=8,memory=32Gi,pods=110).',
    default: [],
  }),
  version: versionFlag('Local runner'),
};

export interface RunnerOptions {
  /** Absolute. */
  readonly dataDir: string;
  readonly securePort: number;
  /** 0 for none. */
  readonly insecurePort: number;
  /** Empty for the embedded store. */
  readonly etcdServers: readonly string[];
  readonly replicas: number;
  /** As on the command line; validated by the API servers. */
  readonly serviceRanges: string;
  readonly controllers: readonly string[];
  /** 0 for no simulation. */
  readonly simulatedNodes: number;
  /** `resource=quantity`; validated by the simulation. */
  readonly simulatedNodeCapacity: readonly string[];
  /** Flags for each API server, verbatim. */
  readonly rest: readonly string[];
}

export type ParsedOptions =
  | Exclude<ParsedFlags<unknown>, { kind: 'values' }>
  | { readonly kind: 'options'; readonly options: RunnerOptions };

/** Parses the command line (without node and script). A relative --data-dir is resolved against `directory`. */
export function parseOptions(argv: readonly string[], directory: string): ParsedOptions {
  const program = {
    name: 'npm start --',
    description: 'Runs the control plane on this machine. Other flags are passed to each API server.',
    collectsUnknown: true,
    version: versionText,
  };
  const parsed = parseFlags(program, table, argv);
  if (parsed.kind !== 'values') return parsed;
  const stray = strayArgument(parsed.rest);
  if (stray !== undefined) return { kind: 'error', message: `unexpected argument ${JSON.stringify(stray)}` };
  const options = optionsFrom(parsed.values, parsed.rest, directory);
  const problem = problemOf(options);
  return problem === undefined ? { kind: 'options', options } : { kind: 'error', message: problem };
}

function optionsFrom(values: FlagValues<typeof table>, rest: readonly string[], directory: string): RunnerOptions {
  return {
    dataDir: path.resolve(directory, values['data-dir']),
    securePort: values['secure-port'],
    insecurePort: values['insecure-port'],
    etcdServers: values['etcd-servers'],
    replicas: values.replicas,
    serviceRanges: values['service-cluster-ip-range'],
    controllers: values.controllers,
    simulatedNodes: values['simulated-nodes'],
    simulatedNodeCapacity: values['simulated-node-capacity'],
    rest,
  };
}

function problemOf({ replicas, etcdServers, securePort, insecurePort }: RunnerOptions): string | undefined {
  if (replicas > 1 && etcdServers.length === 0) {
    return `--replicas=${replicas} needs --etcd-servers: the embedded store serves one API server only`;
  }
  const last = Math.max(securePort, insecurePort) + replicas - 1;
  if (last > 65_535) return `${replicas} consecutive ports end at ${last}, above 65535`;
  if (insecurePort > 0 && Math.abs(securePort - insecurePort) < replicas) {
    return `--secure-port=${securePort} and --insecure-port=${insecurePort} overlap with ${replicas} API server(s)`;
  }
  return undefined;
}

/** A first argument that is no flag. Later ones may be values of flags that only the API server knows. */
function strayArgument(rest: readonly string[]): string | undefined {
  const first = rest[0];
  return first === undefined || first.startsWith('-') ? undefined : first;
}
