/**
 * The format of the configuration kind TracingConfiguration: the receiver of traces and the sampling rate. Opening the
 * receiver is left to open-tracing.ts.
 */
import type { InvalidField } from '../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { integerSchema, objectSchema, stringSchema, type ValueOf } from '../../shared/configuration/schema';

/** The denominator of `samplingRatePerMillion`. */
export const SAMPLING_DENOMINATOR = 1_000_000;
const SCHEMA = objectSchema({}, { endpoint: stringSchema(), samplingRatePerMillion: integerSchema(0, SAMPLING_DENOMINATOR) });

/** The content of the file. Without an endpoint, spans are sent to this machine; without a rate, no trace is sampled. */
export type TracingConfiguration = ValueOf<typeof SCHEMA>;

/** Reads and validates the configuration file of tracing. */
export const TRACING_FORMAT: ConfigurationFormat<TracingConfiguration> = {
  kind: 'TracingConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1beta1', 'apiserver.config.platform.io/v1alpha1'],
  schema: SCHEMA,
  validate: ({ endpoint }): readonly InvalidField[] => {
    const parsed = parseTraceEndpoint(endpoint);
    return 'reason' in parsed ? [{ path: 'endpoint', reason: parsed.reason }] : [];
  },
};

/** The receiver of traces. */
export interface TraceEndpoint {
  /** Host and port. */
  readonly address: string;
}

/** The default port of OTLP over gRPC. */
const DEFAULT_PORT = 4317;
/** `dns:` in `dns:///collector:4317`. */
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** What precedes the host in `dns:///collector:4317` and `dns://collector:4317`. */
const DNS_PREFIX = /^dns:\/\/\/?/i;
const UNIX_SCHEMES: ReadonlySet<string> = new Set(['unix', 'unix-abstract']);

/**
 * Parses the endpoint of the receiver: `collector`, `collector:4317`, `[::1]:4317` or one of these behind `dns:///`. An
 * empty one is the default port of this machine.
 */
export function parseTraceEndpoint(endpoint = ''): TraceEndpoint | { readonly reason: string } {
  if (endpoint === '') return { address: `localhost:${DEFAULT_PORT}` };
  const scheme = schemeOf(endpoint);
  if (scheme === undefined) return parseAddress(endpoint);
  if (UNIX_SCHEMES.has(scheme)) return { reason: 'must name a host and a port; Unix sockets are not supported' };
  if (scheme !== 'dns') return { reason: `unsupported scheme: ${scheme}; only dns is supported` };
  return parseAddress(endpoint.replace(DNS_PREFIX, ''));
}

/** The scheme in lower case. `collector:4317` has none, because a scheme is followed by `//`, except for Unix sockets. */
function schemeOf(endpoint: string): string | undefined {
  const hasScheme = endpoint.includes('://') || endpoint.startsWith('unix');
  return hasScheme ? SCHEME.exec(endpoint)?.[1]?.toLowerCase() : undefined;
}

/** Parses a host with or without a port. */
function parseAddress(address: string): TraceEndpoint | { readonly reason: string } {
  const text = `http://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasOnlyHost = url !== undefined && url.host !== '' && url.pathname === '/' && url.search === '' && url.username === '';
  // A URL drops white space at its end.
  if (!hasOnlyHost || /\s/.test(address)) return { reason: 'must be a host name or an address with a port, such as localhost:4317' };
  if (url.port !== '') return { address: url.host };
  // A URL also drops the port 80, as the default of its scheme.
  const port = address.endsWith(':80') ? 80 : DEFAULT_PORT;
  return { address: `${url.hostname}:${port}` };
}
