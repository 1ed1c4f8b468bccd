/**
 * Registers the metrics API with the API server. Creates a Service that names the host of the simulation's server, and
 * the APIService that refers to this Service. An APIService that refers to another Service belongs to another metrics
 * server and is not changed.
 */
import { isAlreadyExists } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { ControllerContext } from '../../runtime/controller';
import { METRICS_GROUP, METRICS_VERSION } from './metrics-api';

const SERVICES = resourceOf('core.v1.Service');
const API_SERVICES = resourceOf('apiregistration.v1.APIService');
/** The name of the Service. The server's certificate must be valid for `{name}.{namespace}.svc` (program.ts). */
export const METRICS_SERVICE = 'simulation-metrics';
const API_SERVICE = `${METRICS_VERSION}.${METRICS_GROUP}`;
/** The priorities of metrics-server's own APIService. */
const PRIORITY = 100;

/** Where API servers reach the metrics API. */
export interface MetricsEndpoint {
  readonly host: string;
  readonly port: number;
  /** PEM. The authority of the server's certificate. */
  readonly authority: string;
}

/** Resolves when the objects are written, or when another server has the API. Rejects when a request fails. */
export async function registerMetricsApi(
  { client, signal, names, logger }: Pick<ControllerContext, 'client' | 'signal' | 'names' | 'logger'>,
  { host, port, authority }: MetricsEndpoint,
): Promise<void> {
  const namespace = names.systemNamespace;
  const service = { metadata: { name: METRICS_SERVICE }, spec: { type: 'ExternalName', externalName: host } };
  const isNew = await createIfMissing(() => client.of(SERVICES).namespace(namespace).create(service, { signal }));
  if (!isNew) await client.of(SERVICES).namespace(namespace).patch(METRICS_SERVICE, 'merge', { spec: service.spec }, { signal });
  const spec = {
    group: METRICS_GROUP,
    version: METRICS_VERSION,
    groupPriorityMinimum: PRIORITY,
    versionPriority: PRIORITY,
    caBundle: Buffer.from(authority).toString('base64'),
    service: { namespace, name: METRICS_SERVICE, port },
  };
  if (await createIfMissing(() => client.of(API_SERVICES).create({ metadata: { name: API_SERVICE }, spec }, { signal }))) return;
  const present = await client.of(API_SERVICES).get(API_SERVICE, { signal });
  const target = present.body.spec?.service;
  if (target?.name !== METRICS_SERVICE || target.namespace !== namespace) {
    logger.warn('another server has the metrics API; that of the simulation is not registered', { service: target?.name });
    return;
  }
  await client.of(API_SERVICES).patch(API_SERVICE, 'merge', { spec }, { signal });
}

/** False when the object exists. */
async function createIfMissing(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
