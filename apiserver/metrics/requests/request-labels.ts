/**
 * The labels of requests. Only served resources, known paths and known words become label values, so that clients
 * cannot create time series; everything else is `other`. Label sets are interned, so that callers can key series by
 * them.
 */
import type { ServedResource } from '../../registry/verbs';

/** The members of the request info of a resource that labels are derived from. */
interface ResourceInfo {
  readonly kind: 'resource';
  readonly path: string;
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The members of a request that labels are derived from. */
export interface DescribedRequest {
  readonly method: string;
  /** `undefined` when the request failed before its path was parsed. */
  readonly infoIfParsed: ResourceInfo | { readonly kind: 'path'; readonly path: string } | undefined;
  readonly resource: ServedResource | undefined;
  readonly query: { get(name: string): string | undefined };
  header(name: string): string | undefined;
}

/** The labels of a request in upstream's metrics. Interned: equal labels are one object. */
export interface RequestLabels {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
}

/**
 * Limit of label sets, because resources come and go with CustomResourceDefinitions; further ones are counted together.
 */
const MAX_LABEL_SETS = 20_000;
/** The label value of everything that is not known. */
const OTHER = 'other';
const OTHER_RESOURCE = { group: OTHER, version: OTHER, resource: OTHER, subresource: OTHER };
/** Methods that are their own label; any other method is `other`. */
const METHODS: ReadonlyMap<string, string> = new Map(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method]));

/** Labels of paths by their first segment. Upstream keeps the slash of health endpoints. */
const SEGMENT_LABELS: ReadonlyMap<string, string> = new Map([
  ...['healthz', 'livez', 'readyz'].map((segment) => [segment, `/${segment}`] as const),
  ...['api', 'apis', 'version', 'openapi', 'docs', 'metrics', ''].map((segment) => [segment, segment] as const),
]);
/** The one path with a label of two segments, as upstream's. */
const OPEN_API_PATH = '/openapi/v3';
const OPEN_API_LABEL = 'openapi/v3';
/** Labels of paths for which upstream leaves the label `component` empty. */
const LABELS_WITHOUT_COMPONENT: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', OPEN_API_LABEL]);

/** Interns the label sets: equal labels are one object. */
export class RequestLabelSets {
  private readonly labelSets = new Map<string, RequestLabels>();

  /** The labels of a request; equal labels are one object. */
  labelsOf(request: DescribedRequest): RequestLabels {
    const { infoIfParsed: info, resource } = request;
    if (info?.kind !== 'resource' || resource === undefined) return this.labelsOfPath(request);
    const isConnect = isConnectSubresource(resource, info.subresource);
    const verb = isConnect ? 'CONNECT' : verbOf(info, request.method, request.header('content-type'));
    const dryRun = dryRunOf(request);
    const scope = scopeOf(info);
    const { group, version, resource: name, subresources = [] } = resource.row;
    // Subresources that are not served have no label value.
    const subresource = subresources.some((row) => row.name === info.subresource) ? info.subresource : '';
    const key = `${verb} ${scope} ${dryRun} ${group}/${version}/${name}/${subresource}`;
    return this.intern(key, { verb, dry_run: dryRun, group, version, resource: name, subresource, scope, component: 'apiserver' });
  }

  private labelsOfPath(request: DescribedRequest): RequestLabels {
    const path = pathLabelOf(request.infoIfParsed?.path ?? '');
    const verb = METHODS.get(request.method) ?? OTHER;
    return this.intern(`${verb} ${path}`, {
      verb,
      dry_run: '',
      group: '',
      version: '',
      resource: '',
      subresource: path,
      scope: '',
      component: LABELS_WITHOUT_COMPONENT.has(path) ? '' : 'apiserver',
    });
  }

  /** The interned labels of `key`, or, beyond the limit, those of an unknown resource. */
  private intern(key: string, labels: RequestLabels): RequestLabels {
    const existing = this.labelSets.get(key);
    if (existing !== undefined) return existing;
    const { verb, scope, dry_run: dryRun, group, resource } = labels;
    if (this.labelSets.size >= MAX_LABEL_SETS && resource !== '' && group !== OTHER) {
      return this.intern(`${verb} ${scope} ${dryRun} ${OTHER}`, { ...labels, ...OTHER_RESOURCE });
    }
    this.labelSets.set(key, labels);
    return labels;
  }
}

/** Whether the subresource connects to a backend, such as a kubelet. */
const isConnectSubresource = ({ row }: ServedResource, subresource: string): boolean =>
  subresource !== '' && (row.subresources ?? []).some(({ name, connects }) => name === subresource && connects !== undefined);

/** The label of a path that belongs to no resource. */
function pathLabelOf(path: string): string {
  if (path === OPEN_API_PATH) return OPEN_API_LABEL;
  return SEGMENT_LABELS.get(path.split('/', 2)[1] ?? '') ?? OTHER;
}

function verbOf(info: ResourceInfo, method: string, contentType: string | undefined): string {
  switch (info.verb) {
    case 'list':
      return 'LIST';
    case 'watch':
      return 'WATCH';
    case 'patch':
      return contentType?.startsWith('application/apply-patch') === true ? 'APPLY' : 'PATCH';
    default:
      return METHODS.get(method) ?? OTHER;
  }
}

function dryRunOf(request: DescribedRequest): string {
  const value = request.query.get('dryRun');
  if (value === undefined || value === '') return '';
  return value === 'All' ? 'All' : 'invalid';
}

/** The scope of a request: one object, a namespace or the cluster. Also used by the labels of slow requests. */
export function scopeOf(info: Pick<ResourceInfo, 'name' | 'verb' | 'namespace'>): string {
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}
