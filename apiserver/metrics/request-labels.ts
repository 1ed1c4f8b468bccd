/** The labels of a request, from what it asked for. Only served resources, known paths and known words ever become labels. */
import type { ServedResource } from '../registry/verbs';

interface ResourceInfo {
  readonly kind: 'resource';
  readonly path: string;
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The parts of a request that labels are made from. */
export interface DescribedRequest {
  readonly method: string;
  /** `undefined` when the request failed before its path was parsed. */
  readonly infoIfParsed: ResourceInfo | { readonly kind: 'path'; readonly path: string } | undefined;
  readonly resource: ServedResource | undefined;
  readonly query: { get(name: string): string | undefined };
  header(name: string): string | undefined;
}

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

/** Resources come and go with their definitions: beyond so many sets of labels the new ones are counted together. */
const MOST_LABELS = 20_000;
const OTHER = 'other';
const ELSEWHERE = { group: OTHER, version: OTHER, resource: OTHER, subresource: OTHER };

/** The sets of labels that there are: one object each. */
export class KnownLabels {
  private readonly known = new Map<string, RequestLabels>();

  of(request: DescribedRequest): RequestLabels {
    const { infoIfParsed: info, resource } = request;
    if (info?.kind !== 'resource' || resource === undefined) return this.ofPath(request);
    const verb = isConnection(resource, info.subresource) ? 'CONNECT' : verbOf(info, request.method, request.header('content-type'));
    const dryRun = dryRunOf(request);
    const scope = scopeOf(info);
    const subresource = (resource.row.subresources ?? []).some(({ name }) => name === info.subresource) ? info.subresource : '';
    const { group, version, resource: name } = resource.row;
    const key = `${verb} ${scope} ${dryRun} ${group}/${version}/${name}/${subresource}`;
    return this.remembered(key, { verb, dry_run: dryRun, group, version, resource: name, subresource, scope, component: 'apiserver' });
  }

  private ofPath(request: DescribedRequest): RequestLabels {
    const requested = request.infoIfParsed?.path ?? '';
    const first = requested.split('/', 2)[1] ?? '';
    const isHealth = HEALTH.has(first);
    const path = isHealth ? `/${first}` : requested === OPEN_API ? OPEN_API.slice(1) : PLAIN_PATHS.has(first) ? first : 'other';
    const verb = METHODS.get(request.method) ?? 'other';
    return this.remembered(`${verb} ${path}`, {
      verb,
      dry_run: '',
      group: '',
      version: '',
      resource: '',
      subresource: path,
      scope: '',
      component: isHealth || path === OPEN_API.slice(1) ? '' : 'apiserver',
    });
  }

  private remembered(key: string, labels: RequestLabels): RequestLabels {
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const { verb, scope, dry_run: dryRun, group, resource } = labels;
    if (this.known.size >= MOST_LABELS && resource !== '' && group !== OTHER) {
      return this.remembered(`${verb} ${scope} ${dryRun} ${OTHER}`, { ...labels, ...ELSEWHERE });
    }
    this.known.set(key, labels);
    return labels;
  }
}

/** What is handed on to a machine behind the object. */
const isConnection = ({ row }: ServedResource, subresource: string): boolean =>
  subresource !== '' && (row.subresources ?? []).some(({ name, connects }) => name === subresource && connects !== undefined);

const HEALTH: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz']);
const OPEN_API = '/openapi/v3';
const PLAIN_PATHS: ReadonlySet<string> = new Set(['api', 'apis', 'version', 'openapi', 'metrics', '']);

const METHODS: ReadonlyMap<string, string> = new Map(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method]));

function verbOf(info: ResourceInfo, method: string, contentType: string | undefined): string {
  switch (info.verb) {
    case 'list':
      return 'LIST';
    case 'watch':
      return 'WATCH';
    case 'patch':
      return contentType?.startsWith('application/apply-patch') === true ? 'APPLY' : 'PATCH';
    default:
      return METHODS.get(method) ?? 'other';
  }
}

function dryRunOf(request: DescribedRequest): string {
  const value = request.query.get('dryRun');
  if (value === undefined || value === '') return '';
  return value === 'All' ? 'All' : 'invalid';
}

export function scopeOf(info: Pick<ResourceInfo, 'name' | 'verb' | 'namespace'>): string {
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}
