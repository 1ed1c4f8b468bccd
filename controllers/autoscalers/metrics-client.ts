/**
 * Requests metrics from the three metrics APIs (resource, custom and external), which extension API servers serve
 * behind the API server. Their responses are not of this server's types, so every member is checked. Does not interpret
 * the values.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { formatLabelSelector } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import type { MetaV1LabelSelector } from '../../shared/api/types/generated/members';
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { MalformedResponse } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { ConnectionError } from '../../shared/client/transport/transport';
import { canonicalGroup, groupInDialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { parseGoDuration } from '../../shared/values/time/go-duration';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { ServedKinds } from '../runtime/served-kinds';
import { apiErrorMessage } from './messages';
import type { PodMetric, PodMetrics } from './pod-groups';
import { parseMilli } from './quantities';
import type { Measurement } from './recommendations';
import type { CrossVersionObjectReference, Metric, MetricIdentifier } from './spec';

const RESOURCE_GROUP = 'metrics.k8s.io';
const CUSTOM_GROUP = 'custom.metrics.k8s.io';
const EXTERNAL_GROUP = 'external.metrics.k8s.io';
const SUPPORTED_CUSTOM_VERSIONS: readonly string[] = ['v1beta2', 'v1beta1'];
/** The time limit for one request to a metrics API, which may be served by a slow extension API server. */
const TIMEOUT_MS = 10_000;

/** The metrics API did not provide the metric. Does not leave this module: it becomes a failed measurement. */
class MeasurementError extends Error {
  override readonly name = 'MeasurementError';
}

/** The pods of a target. */
export interface PodSelection {
  readonly namespace: string;
  /** A label selector as in the parameter `labelSelector`, such as `app=a,tier in (x,y)`. */
  readonly selector: string;
}

/** The connection to the API server, and the lookup of described objects. */
export interface MetricsClientOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly kinds: Pick<ServedKinds, 'find'>;
  /** Aborts requests in flight; they then reject. */
  readonly signal: AbortSignal;
  /** How long the served version of the custom metrics API is cached. Milliseconds. */
  readonly versionCacheMs: number;
}

/** Requests the PodMetrics of the selected pods at the first call only. */
type ResourceUsage = () => Promise<readonly JsonObject[]>;

/** How error messages name the three APIs. */
type MetricsApi = 'resource' | 'custom' | 'external';

const UNABLE_TO_FETCH = 'unable to fetch metrics from';

/** Caches the served version of the custom metrics API, and nothing else. */
export class MetricsClient {
  /** `at`: monotonic milliseconds before it was requested. */
  private customVersion: { readonly at: number; readonly version: string | undefined } | undefined;

  constructor(private readonly options: MetricsClientOptions) {}

  /**
   * Returns a function that measures metrics of these pods, for one sync. All resource metrics share one request. A metric
   * that the API does not provide, or a request that fails, is a failed measurement; errors of discovery and an abort are
   * thrown.
   */
  measurerFor(selection: PodSelection): (metric: Metric) => Promise<Measurement> {
    let response: Promise<readonly JsonObject[]> | undefined;
    const usage: ResourceUsage = () => (response ??= this.requestResourceUsage(selection));
    return async (metric) => {
      try {
        return await this.measure(metric, selection, usage);
      } catch (error) {
        if (error instanceof MeasurementError) return { type: 'failed', message: error.message };
        throw error;
      }
    };
  }

  private async measure(metric: Metric, selection: PodSelection, usage: ResourceUsage): Promise<Measurement> {
    switch (metric.type) {
      case 'Resource':
        return { type: 'pods', metrics: resourceMetrics(await usage(), metric.resource, undefined) };
      case 'ContainerResource':
        return { type: 'pods', metrics: resourceMetrics(await usage(), metric.resource, metric.container) };
      case 'Pods':
        return { type: 'pods', metrics: await this.requestPodMetrics(metric.metric, selection) };
      case 'Object':
        return { type: 'value', milli: await this.requestObjectMetric(metric.metric, metric.describedObject, selection) };
      case 'External':
        return { type: 'value', milli: await this.requestExternalMetric(metric.metric, selection) };
      case 'unknown':
        throw new MeasurementError(`unknown metric source type "${metric.name}"`);
    }
  }

  private async requestResourceUsage({ namespace, selector }: PodSelection): Promise<readonly JsonObject[]> {
    const path = `/apis/${RESOURCE_GROUP}/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods${formatQuery({ labelSelector: selector })}`;
    const items = await this.requestItems(path, 'resource', `pods.${RESOURCE_GROUP}`);
    if (items.length === 0) throw new MeasurementError('no metrics returned from resource metrics API');
    return items;
  }

  private async requestPodMetrics(metric: MetricIdentifier, { namespace, selector }: PodSelection): Promise<PodMetrics> {
    const folder = `${await this.customMetricsPath()}/namespaces/${encodeURIComponent(namespace)}`;
    const parameters = formatQuery({ labelSelector: selector, metricLabelSelector: formatSelector(metric.selector) });
    // `%2A` is an encoded `*`: the metric of all pods that the selector matches.
    const path = `${folder}/pods/%2A/${encodeURIComponent(metric.name)}${parameters}`;
    const items = await this.requestItems(path, 'custom', `pods.${CUSTOM_GROUP} *`);
    if (items.length === 0) throw new MeasurementError('no metrics returned from custom metrics API');
    return new Map(
      items.map((item) => [stringAt(objectAt(item, 'describedObject'), 'name') ?? '', podMetric(item, stringAt(item, 'value'))]),
    );
  }

  /** The value of the metric of the described object, in thousandths. */
  private async requestObjectMetric(
    { name, selector }: MetricIdentifier,
    describedObject: CrossVersionObjectReference,
    selection: PodSelection,
  ): Promise<bigint> {
    const resource = await this.customMetricsResource(describedObject);
    const segments =
      resource === 'namespaces'
        ? ['namespaces', describedObject.name, 'metrics', name]
        : ['namespaces', selection.namespace, resource, describedObject.name, name];
    const folder = `${await this.customMetricsPath()}/${segments.map(encodeURIComponent).join('/')}`;
    const path = `${folder}${formatQuery({ metricLabelSelector: formatSelector(selector) })}`;
    const items = await this.requestItems(path, 'custom', `${resource}.${CUSTOM_GROUP} ${describedObject.name}`);
    const [item] = items;
    if (item === undefined || items.length > 1) {
      throw new MeasurementError(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
    }
    return parseMilli(stringAt(item, 'value') ?? '0');
  }

  /** The sum of all series that the selector matches, in thousandths. */
  private async requestExternalMetric({ name, selector }: MetricIdentifier, { namespace }: PodSelection): Promise<bigint> {
    const path = `/apis/${EXTERNAL_GROUP}/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    const parameters = formatQuery({ labelSelector: formatSelector(selector) });
    const items = await this.requestItems(`${path}${parameters}`, 'external', `${name}.${EXTERNAL_GROUP}`);
    if (items.length === 0) throw new MeasurementError('no metrics returned from external metrics API');
    return items.reduce((sum, item) => sum + parseMilli(stringAt(item, 'value') ?? '0'), 0n);
  }

  /**
   * The resource of the described object in paths. Metrics servers use upstream's names of groups. Throws {@link
   * MeasurementError}.
   */
  private async customMetricsResource({ apiVersion, kind }: CrossVersionObjectReference): Promise<string> {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    const served = await this.options.kinds.find(canonicalGroup(group), kind);
    if (served.type === 'served') {
      const { resource } = served.resource;
      return group === '' ? resource : `${resource}.${groupInDialect('kubernetes', served.resource.group)}`;
    }
    const cause = `unable to map kind ${group === '' ? kind : `${kind}.${group}`} to resource`;
    throw new MeasurementError(`${UNABLE_TO_FETCH} custom metrics API: ${cause}: no matches for kind "${kind}" in group "${group}"`);
  }

  /** Throws {@link MeasurementError} when no supported version is served. */
  private async customMetricsPath(): Promise<string> {
    const at = this.options.clock.monotonic();
    const cached = this.customVersion;
    const isFresh = cached !== undefined && at - cached.at < this.options.versionCacheMs;
    const current = isFresh ? cached : { at, version: await this.requestCustomVersion() };
    this.customVersion = current;
    if (current.version !== undefined) return `/apis/${CUSTOM_GROUP}/${current.version}`;
    throw new MeasurementError(`${UNABLE_TO_FETCH} custom metrics API: no custom metrics API (${CUSTOM_GROUP}) registered`);
  }

  /** `undefined` when no supported version is served. */
  private async requestCustomVersion(): Promise<string | undefined> {
    try {
      const { client, signal } = this.options;
      const group = await client.getDocument(`/apis/${CUSTOM_GROUP}`, 'application/json', { signal, timeoutMs: TIMEOUT_MS });
      const versions = (arrayAt(group, 'versions') ?? []).filter(isObject).map((version) => stringAt(version, 'version') ?? '');
      return versions.find((version) => SUPPORTED_CUSTOM_VERSIONS.includes(version));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw measurementError(error, 'custom', CUSTOM_GROUP);
    }
  }

  /** `resource`: how error messages name what is requested. */
  private async requestItems(path: string, api: MetricsApi, resource: string): Promise<readonly JsonObject[]> {
    const { client, signal } = this.options;
    try {
      const list = await client.getDocument(path, 'application/json', { signal, timeoutMs: TIMEOUT_MS });
      return (arrayAt(list, 'items') ?? []).filter(isObject);
    } catch (error) {
      throw measurementError(error, api, resource);
    }
  }
}

/** Wraps the errors of a request; other errors are returned unchanged. */
function measurementError(error: unknown, api: MetricsApi, resource: string): unknown {
  if (error instanceof ApiError) return new MeasurementError(`${UNABLE_TO_FETCH} ${api} metrics API: ${apiErrorMessage(error, resource)}`);
  if (error instanceof ConnectionError || error instanceof MalformedResponse) {
    return new MeasurementError(`${UNABLE_TO_FETCH} ${api} metrics API: ${error.message}`);
  }
  return error;
}

/**
 * Pods with a container that was not measured are left out. Throws {@link MeasurementError} for a pod without the named
 * container.
 */
function resourceMetrics(items: readonly JsonObject[], resource: string, containerName: string | undefined): PodMetrics {
  const metrics = new Map<string, PodMetric>();
  for (const item of items) {
    const allContainers = (arrayAt(item, 'containers') ?? []).filter(isObject);
    const containers =
      containerName === undefined ? allContainers : allContainers.filter((container) => stringAt(container, 'name') === containerName);
    const metadata = objectAt(item, 'metadata');
    const namespace = stringAt(metadata, 'namespace') ?? '';
    const name = stringAt(metadata, 'name') ?? '';
    if (containerName !== undefined && containers.length === 0) {
      const pod = `pod ${namespace}/${name}`;
      throw new MeasurementError(`failed to get container metrics: container ${containerName} not present in metrics for ${pod}`);
    }
    const quantities = containers.map((container) => stringAt(objectAt(container, 'usage'), resource));
    if (quantities.includes(undefined)) continue;
    const milli = quantities.reduce((sum, quantity) => sum + parseMilli(quantity ?? '0'), 0n);
    metrics.set(name, { ...podMetric(item, undefined), milli });
  }
  return metrics;
}

/** `quantity`: the value of the metric; 0 when it is undefined or no quantity. */
function podMetric(item: JsonObject, quantity: string | undefined): PodMetric {
  const window = parseGoDuration(stringAt(item, 'window') ?? '0');
  return {
    milli: parseMilli(quantity ?? '0'),
    timestamp: parseTimestamp(stringAt(item, 'timestamp')) ?? 0,
    windowMs: typeof window === 'number' ? window : 0,
  };
}

const formatSelector = (selector: MetaV1LabelSelector | undefined): string =>
  selector === undefined ? '' : formatLabelSelector(requirementsOfSelector(selector));

/** The query string with its question mark; empty parameters are left out. */
function formatQuery(parameters: Readonly<Record<string, string>>): string {
  const sent = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return sent.size === 0 ? '' : `?${sent.toString()}`;
}
