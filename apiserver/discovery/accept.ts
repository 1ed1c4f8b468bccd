/**
 * The Accept header as discovery reads it: which encoding, and whether the aggregated form is wanted, in which version and dialect.
 * Knows nothing of Tables or streams: clauses that ask for those do not fit here.
 */
import { type Dialect, DIALECTS, groupIn, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE } from '../../shared/names/dialect';

export type Encoding =
  | { readonly type: 'json' | 'yaml' }
  /** The dialect is that of the media type's spelling. */
  | { readonly type: 'protobuf'; readonly dialect: Dialect };

/** Values of `g`, `v` and `as`. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly as: string;
}

export interface Clause {
  readonly encoding: Encoding;
  /** Undefined when none of the parameters is given. */
  readonly target: Target | undefined;
}

const AGGREGATED_VERSIONS = ['v2', 'v2beta1'] as const;
export type AggregatedVersion = (typeof AGGREGATED_VERSIONS)[number];

const DISCOVERY_GROUP = 'apidiscovery.platform.io';
const AGGREGATED_KIND = 'APIGroupDiscoveryList';

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  [JSON_MEDIA_TYPE, { type: 'json' }],
  ['application/*', { type: 'json' }],
  ['*/*', { type: 'json' }],
  [YAML_MEDIA_TYPE, { type: 'yaml' }],
  ...DIALECTS.map((dialect): [string, Encoding] => [PROTOBUF_MEDIA_TYPE[dialect], { type: 'protobuf', dialect }]),
]);

/** The clauses whose media type is known, most wanted first. No header means JSON. */
export function acceptClauses(header: string | undefined): readonly Clause[] {
  if (header === undefined || header.trim() === '') return [{ encoding: { type: 'json' }, target: undefined }];
  const weighted = header.split(',').flatMap((text) => {
    const [mediaType = '', ...parameters] = text.split(';').map((part) => part.trim());
    const encoding = ENCODINGS.get(mediaType);
    if (encoding === undefined) return [];
    const values = new Map(parameters.map(nameAndValue));
    return [{ clause: { encoding, target: targetOf(values) }, weight: weightOf(values.get('q')) }];
  });
  return weighted.sort((a, b) => b.weight - a.weight).map(({ clause }) => clause);
}

function nameAndValue(parameter: string): [string, string] {
  const equals = parameter.indexOf('=');
  return equals < 0 ? [parameter, ''] : [parameter.slice(0, equals).trim(), parameter.slice(equals + 1).trim()];
}

function targetOf(values: ReadonlyMap<string, string>): Target | undefined {
  const [group, version, as] = [values.get('g'), values.get('v'), values.get('as')];
  if (group === undefined && version === undefined && as === undefined) return undefined;
  return { group: group ?? '', version: version ?? '', as: as ?? '' };
}

function weightOf(text: string | undefined): number {
  const weight = text === undefined ? 1 : Number(text);
  return Number.isFinite(weight) ? weight : 1;
}

export interface AggregatedTarget {
  readonly version: AggregatedVersion;
  readonly dialect: Dialect;
}

/** The aggregated document that a clause asks for, if there is such a one. */
export function aggregatedTarget({ group, version, as }: Target): AggregatedTarget | undefined {
  if (as !== AGGREGATED_KIND) return undefined;
  const known = AGGREGATED_VERSIONS.find((candidate) => candidate === version);
  const dialect = DIALECTS.find((candidate) => groupIn(candidate, DISCOVERY_GROUP) === group);
  return known === undefined || dialect === undefined ? undefined : { version: known, dialect };
}

/** What stands in the Content-Type of an aggregated document after its media type; clients compare it. */
export function aggregatedParameters(version: AggregatedVersion, dialect: Dialect): string {
  return `;g=${groupIn(dialect, DISCOVERY_GROUP)};v=${version};as=${AGGREGATED_KIND}`;
}

export function aggregatedApiVersion(version: AggregatedVersion, dialect: Dialect): string {
  return `${groupIn(dialect, DISCOVERY_GROUP)}/${version}`;
}
