/** The local runner's own flags. Other flags are passed to the API servers or the controllers, which validate them. */
import { isIP } from 'node:net';
import path from 'node:path';
import { FlagError, intFlag, listFlag, stringFlag, type Flag, type FlagTable, type FlagValues } from '../../shared/cli/flags';
import { dataDirFlag } from '../cluster/data-folder';
import { hostUrl, parseHost, parsePort } from '../../shared/values/network/host-url';

const SECTION = 'Control plane';
/** A default port for an endpoint that is only checked. */
const ANY_PORT = 1;

export const RUNNER_FLAGS = {
  'data-dir': dataDirFlag(
    SECTION,
    'Folder for certificates, the admin kubeconfig, process IDs, logs and, with the embedded store, all data.',
  ),
  'bind-address': checkedFlag(
    stringFlag({
      section: SECTION,
      help: 'IP address on which the API servers serve HTTPS; 0.0.0.0 and :: are all addresses.',
      default: '127.0.0.1',
      variable: 'PLATFORM_BIND_ADDRESS',
    }),
    (address) => (isIP(address) === 0 ? 'must be an IP address' : undefined),
  ),
  'control-plane-endpoint': checkedFlag(
    stringFlag({
      section: SECTION,
      help: "Address for clients on other machines, as host or host:port: the server of the administrator's kubeconfig and of cluster-info; the serving certificate covers the host. By default the address of the first API server.",
      default: '',
    }),
    (endpoint) => (parseEndpoint(endpoint, ANY_PORT) === undefined ? 'must be a host or host:port' : undefined),
  ),
  'apiserver-cert-extra-sans': checkedFlag(
    listFlag({ section: SECTION, help: 'Further DNS names and IP addresses that the serving certificate covers.', default: [] }),
    (names) => {
      const invalid = names.find((name) => parseHost(name) === undefined);
      return invalid === undefined ? undefined : `${JSON.stringify(invalid)} is neither a DNS name nor an IP address`;
    },
  ),
  'secure-port': intFlag({ section: SECTION, help: 'HTTPS port of the first API server.', default: 6443, min: 1, max: 65_535 }),
  'insecure-port': intFlag({
    section: SECTION,
    help: 'Plain HTTP port of the first API server on the loopback address, where every request has administrator rights; 0 disables it.',
    default: 0,
    min: 0,
    max: 65_535,
  }),
  'etcd-servers': listFlag({
    section: SECTION,
    help: 'URLs of etcd members (scheme://host:port, comma-separated) to use instead of the embedded store.',
    default: [],
  }),
  replicas: intFlag({
    section: SECTION,
    help: 'Number of API servers, on consecutive ports. More than one needs --etcd-servers.',
    default: 1,
    min: 1,
    max: 32,
  }),
  'service-cluster-ip-range': stringFlag({
    section: SECTION,
    help: 'CIDR ranges of the cluster IPs of Services. The serving certificate covers the first address of the first range.',
    default: '10.0.0.0/24',
  }),
  controllers: listFlag({
    section: SECTION,
    help: "Controllers to run: '*' selects all that are on by default, 'foo' adds foo, '-foo' removes foo, '-*' selects none.",
    default: ['*', 'tokencleaner', 'bootstrapsigner'],
  }),
  'simulated-nodes': intFlag({
    section: SECTION,
    help: 'Number of simulated nodes, on which pods are scheduled and become ready without containers; 0 = no simulation.',
    default: 0,
    min: 0,
    max: 5_000,
  }),
  'simulated-node-capacity': listFlag({
    section: SECTION,
    help: 'Capacity of each simulated node: resource=quantity, comma separated (cpu=8,memory=32Gi,pods=110).',
    default: [],
  }),
} satisfies FlagTable;

/** The options of a control plane on one machine. {@link runnerOptions} checks that they are valid together. */
export interface RunnerOptions {
  /** Absolute. */
  readonly dataDir: string;
  /** Where the API servers serve HTTPS. */
  readonly bindAddress: string;
  /** {@link parseEndpoint} accepts it; `''` for the address of the first API server. */
  readonly controlPlaneEndpoint: string;
  /** Further names and addresses in the serving certificate. */
  readonly certificateNames: readonly string[];
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
  readonly serverFlags: readonly string[];
  /** Flags for the controllers, verbatim. */
  readonly controllerFlags: readonly string[];
}

/** The flags that are not in {@link RUNNER_FLAGS}, by the programs that get them. */
export interface PassedFlags {
  /** For each API server. */
  readonly servers: readonly string[];
  readonly controllers: readonly string[];
}

/**
 * The options of parsed flags, or why they are not valid together. A relative --data-dir is resolved against `directory`.
 */
export function runnerOptions(values: FlagValues<typeof RUNNER_FLAGS>, passed: PassedFlags, directory: string): RunnerOptions | string {
  const stray = strayArgument(passed.servers);
  if (stray !== undefined) return `unexpected argument ${JSON.stringify(stray)}`;
  const options = optionsFrom(values, passed, directory);
  return problemOf(options) ?? options;
}

function optionsFrom(values: FlagValues<typeof RUNNER_FLAGS>, passed: PassedFlags, directory: string): RunnerOptions {
  return {
    dataDir: path.resolve(directory, values['data-dir']),
    bindAddress: values['bind-address'],
    controlPlaneEndpoint: values['control-plane-endpoint'],
    certificateNames: values['apiserver-cert-extra-sans'],
    securePort: values['secure-port'],
    insecurePort: values['insecure-port'],
    etcdServers: values['etcd-servers'],
    replicas: values.replicas,
    serviceRanges: values['service-cluster-ip-range'],
    controllers: values.controllers,
    simulatedNodes: values['simulated-nodes'],
    simulatedNodeCapacity: values['simulated-node-capacity'],
    serverFlags: passed.servers,
    controllerFlags: passed.controllers,
  };
}

/** Why options are not valid together; `undefined` when they are. */
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

/** For example `api.example.com`, `10.0.0.1:6443` or `[::1]:6443`. */
const ENDPOINT = /^(?:\[(?<address>[\da-fA-F:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d+))?$/;

/**
 * The https URL of `host` or `host:port`, without a slash at its end, where an IPv6 address with a port is in brackets.
 * `undefined` when the text is neither.
 */
export function parseEndpoint(text: string, defaultPort: number): string | undefined {
  const groups = isIP(text) === 0 ? ENDPOINT.exec(text)?.groups : { name: text };
  const host = parseHost(groups?.['address'] ?? groups?.['name'] ?? '');
  const port = groups?.['port'] === undefined ? defaultPort : parsePort(groups['port']);
  if (host === undefined || port === undefined) return undefined;
  return hostUrl('https', host, port).origin;
}

/** A first argument that is no flag. Later ones may be values of flags that only the API server knows. */
function strayArgument([first]: readonly string[]): string | undefined {
  return first === undefined || first.startsWith('-') ? undefined : first;
}

/** The flag with a parser that also rejects a value with the problem that `findProblem` returns. */
function checkedFlag<T>(row: Flag<T>, findProblem: (value: T) => string | undefined): Flag<T> {
  return {
    ...row,
    parse(text, previous) {
      const value = row.parse(text, previous);
      const problem = findProblem(value);
      if (problem !== undefined) throw new FlagError(problem);
      return value;
    },
  };
}
