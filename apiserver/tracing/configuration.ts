/** The file TracingConfiguration: where traces are sent, and how many of them. Sends nothing. */
import type { ConfigurationFault } from '../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { integerSchema, objectSchema, stringSchema, type ValueOf } from '../../shared/configuration/schema';

/** Of so many requests. */
export const MILLION = 1_000_000;
const SCHEMA = objectSchema({}, { endpoint: stringSchema(), samplingRatePerMillion: integerSchema(0, MILLION) });

export type TracingConfiguration = ValueOf<typeof SCHEMA>;

export const TRACING_FORMAT: ConfigurationFormat<TracingConfiguration> = {
  kind: 'TracingConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1beta1', 'apiserver.config.platform.io/v1alpha1'],
  schema: SCHEMA,
  validate: ({ endpoint }): readonly ConfigurationFault[] => {
    const read = receiverOf(endpoint);
    return 'reason' in read ? [{ path: 'endpoint', reason: read.reason }] : [];
  },
};

export interface TraceEndpoint {
  /** Host and port. */
  readonly address: string;
}

/** Where collectors of traces listen. */
const PORT = 4317;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const NOT_HERE: ReadonlySet<string> = new Set(['unix', 'unix-abstract']);

/** The receiver that an endpoint names; without one it is expected on this machine. */
export function receiverOf(endpoint = ''): TraceEndpoint | { readonly reason: string } {
  if (endpoint === '') return { address: `localhost:${PORT}` };
  const scheme = endpoint.includes('://') || endpoint.startsWith('unix') ? SCHEME.exec(endpoint)?.[1]?.toLowerCase() : undefined;
  if (scheme !== undefined && NOT_HERE.has(scheme))
    return { reason: 'must name a host and a port; sockets of this machine are not supported' };
  if (scheme !== undefined && scheme !== 'dns') return { reason: `unsupported scheme: ${scheme}; there is none but dns` };
  const place = scheme === undefined ? endpoint : endpoint.replace(/^dns:\/\/\/?/i, '');
  const url = URL.canParse(`http://${place}`) ? new URL(`http://${place}`) : undefined;
  if (url === undefined || url.host === '' || url.pathname !== '/' || url.search !== '' || url.username !== '' || /\s/.test(place))
    return { reason: 'must be the name or address of a host and a port, such as localhost:4317' };
  return { address: url.port === '' ? `${url.hostname}:${place.endsWith(':80') ? 80 : PORT}` : url.host };
}
