/**
 * Asks for metrics: those of resources, custom ones and external ones, from whoever serves these groups behind the API server. What it is told of pods is asked for once,
 * however many metrics are made of it. Judges nothing of what it reads.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { formatLabelSelector } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { MalformedAnswer } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { ConnectionError } from '../../shared/client/transport/transport';
import { canonicalGroup, groupInDialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { parseGoDuration } from '../../shared/values/go-duration';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { ServedKinds } from '../runtime/served-kinds';
import type { PodValue, PodValues } from './pods';
import { milliOf } from './quantities';
import type { Metric, MetricReference, KindReference } from './spec';
import { refusalText } from './texts';
import type { Measured } from './wishes';

const RESOURCES = 'metrics.k8s.io';
const CUSTOM = 'custom.metrics.k8s.io';
const EXTERNAL = 'external.metrics.k8s.io';
/** Those that are understood. */
const CUSTOM_VERSIONS: readonly string[] = ['v1beta2', 'v1beta1'];
/** Whoever measures has so long for an answer. Milliseconds. */
const TIMEOUT_MS = 10_000;

/** Why nothing was measured. */
class Unmeasured extends Error {
  override readonly name = 'Unmeasured';
}

export interface MeasuredPods {
  readonly namespace: string;
  /** As in a query. */
  readonly selector: string;
}

export interface MetricsApiOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly kinds: Pick<ServedKinds, 'find'>;
  readonly signal: AbortSignal;
  /** So long it is believed which version of custom metrics is served. Milliseconds. */
  readonly versionMs: number;
}

export class MetricsApi {
  private customVersion: { readonly at: number; readonly version: string | undefined } | undefined;

  constructor(private readonly options: MetricsApiOptions) {}

  /** What asks for the metrics of these pods, one after the other; what several are made of is asked for once. */
  of(pods: MeasuredPods): (metric: Metric) => Promise<Measured> {
    let usage: Promise<readonly JsonObject[]> | undefined;
    const once = (): Promise<readonly JsonObject[]> => (usage ??= this.usage(pods));
    return async (metric) => {
      try {
        return await this.one(metric, pods, once);
      } catch (error) {
        if (error instanceof Unmeasured) return { type: 'failed', message: error.message };
        throw error;
      }
    };
  }

  private async one(metric: Metric, of: MeasuredPods, usage: () => Promise<readonly JsonObject[]>): Promise<Measured> {
    switch (metric.type) {
      case 'Resource':
        return { type: 'pods', values: resourceValues(await usage(), metric.resource, undefined) };
      case 'ContainerResource':
        return { type: 'pods', values: resourceValues(await usage(), metric.resource, metric.container) };
      case 'Pods':
        return { type: 'pods', values: await this.ofPods(metric.metric, of) };
      case 'Object':
        return { type: 'amount', milli: await this.ofObject(metric.metric, metric.described, of) };
      case 'External':
        return { type: 'amount', milli: await this.ofOthers(metric.metric, of) };
      case 'unknown':
        throw new Unmeasured(`unknown metric source type "${metric.name}"`);
    }
  }

  private async usage({ namespace, selector }: MeasuredPods): Promise<readonly JsonObject[]> {
    const path = `/apis/${RESOURCES}/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods${query({ labelSelector: selector })}`;
    const items = await this.items(path, 'resource', `pods.${RESOURCES}`);
    if (items.length === 0) throw new Unmeasured('no metrics returned from resource metrics API');
    return items;
  }

  private async ofPods({ name, selector }: MetricReference, of: MeasuredPods): Promise<PodValues> {
    const folder = `${await this.custom()}/namespaces/${encodeURIComponent(of.namespace)}/pods/%2A/${encodeURIComponent(name)}`;
    const path = `${folder}${query({ labelSelector: of.selector, metricLabelSelector: selectorText(selector) })}`;
    const items = await this.items(path, 'custom', `pods.${CUSTOM} *`);
    if (items.length === 0) throw new Unmeasured('no metrics returned from custom metrics API');
    return new Map(
      items.map((item) => [stringAt(objectAt(item, 'describedObject'), 'name') ?? '', valueIn(item, stringAt(item, 'value'))]),
    );
  }

  private async ofObject({ name, selector }: MetricReference, described: KindReference, { namespace }: MeasuredPods): Promise<bigint> {
    const resource = await this.resourceOf(described);
    const whose = resource === 'namespaces' ? described.name : namespace;
    const parts = resource === 'namespaces' ? ['metrics', name] : [resource, described.name, name];
    const place = ['namespaces', whose, ...parts].map(encodeURIComponent).join('/');
    const path = `${await this.custom()}/${place}${query({ metricLabelSelector: selectorText(selector) })}`;
    const items = await this.items(path, 'custom', `${resource}.${CUSTOM} ${described.name}`);
    const [item] = items;
    if (item === undefined || items.length > 1) {
      throw new Unmeasured(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
    }
    return milliOf(stringAt(item, 'value') ?? '0');
  }

  private async ofOthers({ name, selector }: MetricReference, { namespace }: MeasuredPods): Promise<bigint> {
    const place = `/apis/${EXTERNAL}/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    const items = await this.items(`${place}${query({ labelSelector: selectorText(selector) })}`, 'external', `${name}.${EXTERNAL}`);
    if (items.length === 0) throw new Unmeasured('no metrics returned from external metrics API');
    return items.reduce((sum, item) => sum + milliOf(stringAt(item, 'value') ?? '0'), 0n);
  }

  /** As paths name it: whoever measures knows the names of groups in upstream's spelling. Throws {@link Unmeasured}. */
  private async resourceOf({ apiVersion, kind }: KindReference): Promise<string> {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    const found = await this.options.kinds.find(canonicalGroup(group), kind);
    if (found.type === 'served') {
      const { resource } = found.resource;
      return group === '' ? resource : `${resource}.${groupInDialect('kubernetes', found.resource.group)}`;
    }
    const mapped = `unable to map kind ${group === '' ? kind : `${kind}.${group}`} to resource`;
    throw new Unmeasured(`${FETCH} custom metrics API: ${mapped}: no matches for kind "${kind}" in group "${group}"`);
  }

  /** The folder of custom metrics. Throws {@link Unmeasured}. */
  private async custom(): Promise<string> {
    const at = this.options.clock.monotonic();
    const known = this.customVersion;
    const fresh = known !== undefined && at - known.at < this.options.versionMs ? known : { at, version: await this.servedVersion() };
    this.customVersion = fresh;
    if (fresh.version !== undefined) return `/apis/${CUSTOM}/${fresh.version}`;
    throw new Unmeasured(`${FETCH} custom metrics API: no custom metrics API (${CUSTOM}) registered`);
  }

  private async servedVersion(): Promise<string | undefined> {
    try {
      const { client, signal } = this.options;
      const group = await client.document(`/apis/${CUSTOM}`, 'application/json', { signal, timeoutMs: TIMEOUT_MS });
      const versions = (arrayAt(group, 'versions') ?? []).filter(isObject).map((version) => stringAt(version, 'version') ?? '');
      return versions.find((version) => CUSTOM_VERSIONS.includes(version));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw unmeasured(error, 'custom', CUSTOM);
    }
  }

  private async items(path: string, api: string, asked: string): Promise<readonly JsonObject[]> {
    const { client, signal } = this.options;
    try {
      const list = await client.document(path, 'application/json', { signal, timeoutMs: TIMEOUT_MS });
      return (arrayAt(list, 'items') ?? []).filter(isObject);
    } catch (error) {
      throw unmeasured(error, api, asked);
    }
  }
}

const FETCH = 'unable to fetch metrics from';

/** What is no answer is thrown on. */
function unmeasured(error: unknown, api: string, asked: string): unknown {
  if (error instanceof ApiError) return new Unmeasured(`${FETCH} ${api} metrics API: ${refusalText(error, asked)}`);
  if (error instanceof ConnectionError || error instanceof MalformedAnswer) {
    return new Unmeasured(`${FETCH} ${api} metrics API: ${error.message}`);
  }
  return error;
}

/** Of pods all of whose containers were measured, or of one container of each pod. Throws {@link Unmeasured}. */
function resourceValues(items: readonly JsonObject[], resource: string, container: string | undefined): PodValues {
  const values = new Map<string, PodValue>();
  for (const item of items) {
    const containers = (arrayAt(item, 'containers') ?? []).filter(isObject);
    const meant = container === undefined ? containers : containers.filter((one) => stringAt(one, 'name') === container);
    const { namespace, name } = namesOf(item);
    if (container !== undefined && meant.length === 0) {
      throw new Unmeasured(`failed to get container metrics: container ${container} not present in metrics for pod ${namespace}/${name}`);
    }
    const amounts = meant.map((one) => stringAt(objectAt(one, 'usage'), resource));
    if (amounts.includes(undefined)) continue;
    const milli = amounts.reduce((sum, amount) => sum + milliOf(amount ?? '0'), 0n);
    values.set(name, { ...valueIn(item, undefined), milli });
  }
  return values;
}

function namesOf(item: JsonObject): { readonly namespace: string; readonly name: string } {
  const metadata = objectAt(item, 'metadata');
  return { namespace: stringAt(metadata, 'namespace') ?? '', name: stringAt(metadata, 'name') ?? '' };
}

function valueIn(item: JsonObject, amount: string | undefined): PodValue {
  const window = parseGoDuration(stringAt(item, 'window') ?? '0');
  return {
    milli: milliOf(amount ?? '0'),
    at: parseTimestamp(stringAt(item, 'timestamp')) ?? 0,
    windowMs: typeof window === 'number' ? window : 0,
  };
}

const selectorText = (selector: JsonObject | undefined): string =>
  selector === undefined ? '' : formatLabelSelector(requirementsOfSelector(selector));

function query(members: Readonly<Record<string, string>>): string {
  const sent = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== ''));
  return sent.size === 0 ? '' : `?${sent.toString()}`;
}
