/** The labels of a request, from what it asked for. Only served resources, known paths and known words ever become labels. */
import type { Exchange } from '../endpoints/exchange';
import type { ResourceRequest } from '../endpoints/request-info';

export interface RequestLabels {
  /** Different for different values. */
  readonly key: string;
  readonly values: {
    readonly verb: string;
    readonly dry_run: string;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly scope: string;
    readonly component: string;
  };
}

const known = new Map<string, RequestLabels>();

export function describeRequest(exchange: Exchange): RequestLabels {
  const { info, resource } = exchange;
  if (info.kind === 'path' || resource === undefined) return pathLabels(exchange);
  const verb = verbOf(info, exchange.method, exchange.header('content-type'));
  const dryRun = dryRunOf(exchange);
  const scope = scopeOf(info);
  const subresource = (resource.row.subresources ?? []).some(({ name }) => name === info.subresource) ? info.subresource : '';
  const { group, version, resource: name } = resource.row;
  const key = `${verb} ${scope} ${dryRun} ${group}/${version}/${name}/${subresource}`;
  return remembered(key, { verb, dry_run: dryRun, group, version, resource: name, subresource, scope, component: 'apiserver' });
}

function remembered(key: string, values: RequestLabels['values']): RequestLabels {
  let labels = known.get(key);
  if (labels === undefined) known.set(key, (labels = { key, values }));
  return labels;
}

const HEALTH: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz']);
const PLAIN_PATHS: ReadonlySet<string> = new Set(['api', 'apis', 'version', 'openapi', 'metrics', '']);

function pathLabels(exchange: Exchange): RequestLabels {
  const first = exchange.info.path.split('/', 2)[1] ?? '';
  const isHealth = HEALTH.has(first);
  const path = isHealth ? `/${first}` : PLAIN_PATHS.has(first) ? first : 'other';
  const verb = METHODS.get(exchange.method) ?? 'other';
  return remembered(`${verb} ${path}`, {
    verb,
    dry_run: '',
    group: '',
    version: '',
    resource: '',
    subresource: path,
    scope: '',
    component: isHealth ? '' : 'apiserver',
  });
}

const METHODS: ReadonlyMap<string, string> = new Map(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method]));

function verbOf(info: ResourceRequest, method: string, contentType: string | undefined): string {
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

function dryRunOf(exchange: Exchange): string {
  const value = exchange.query.get('dryRun');
  if (value === undefined || value === '') return '';
  return value === 'All' ? 'All' : 'invalid';
}

function scopeOf(info: ResourceRequest): string {
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}
