/**
 * Parses the Accept header for discovery: the encoding, and whether the aggregated form is requested, in which version and
 * dialect. A clause for a Table has a target that no document has; other parameters are ignored. Choosing a clause is left to
 * discovery.ts.
 */
import { type Dialect, DIALECTS, groupInDialect, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE } from '../../shared/names/dialect';

/** How the body of a response is written. */
export type Encoding =
  | { readonly type: 'json' | 'yaml' }
  /** The dialect of the media type. */
  | { readonly type: 'protobuf'; readonly dialect: Dialect };

/** Values of the parameters `g`, `v` and `as`; '' when one is missing. */
export interface AcceptTarget {
  readonly group: string;
  readonly version: string;
  readonly as: string;
}

/** A clause of an Accept header, as far as discovery distinguishes it. */
export interface AcceptClause {
  readonly encoding: Encoding;
  /** `undefined` when none of these parameters is given. */
  readonly target: AcceptTarget | undefined;
}

const AGGREGATED_VERSIONS = ['v2', 'v2beta1'] as const;
/** A version of APIGroupDiscoveryList, the aggregated form. */
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

/** The clauses with a known media type in order of preference. No header means JSON. */
export function acceptClauses(header: string | undefined): readonly AcceptClause[] {
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

/** `q=0.5` -> `q` and `0.5`. */
function nameAndValue(parameter: string): [string, string] {
  const equals = parameter.indexOf('=');
  return equals < 0 ? [parameter, ''] : [parameter.slice(0, equals).trim(), parameter.slice(equals + 1).trim()];
}

function targetOf(values: ReadonlyMap<string, string>): AcceptTarget | undefined {
  const group = values.get('g');
  const version = values.get('v');
  const as = values.get('as');
  if (group === undefined && version === undefined && as === undefined) return undefined;
  return { group: group ?? '', version: version ?? '', as: as ?? '' };
}

/** The weight in the parameter `q`; 1 when it is absent or not a number. */
function weightOf(text: string | undefined): number {
  const weight = text === undefined ? 1 : Number(text);
  return Number.isFinite(weight) ? weight : 1;
}

/** The version and spelling of an aggregated document. */
export interface AggregatedTarget {
  readonly version: AggregatedVersion;
  readonly dialect: Dialect;
}

/** The aggregated form that a clause requests; `undefined` when there is no such form. */
export function aggregatedTarget({ group, version, as }: AcceptTarget): AggregatedTarget | undefined {
  if (as !== AGGREGATED_KIND) return undefined;
  const supported = AGGREGATED_VERSIONS.find((candidate) => candidate === version);
  const dialect = DIALECTS.find((candidate) => groupInDialect(candidate, DISCOVERY_GROUP) === group);
  return supported === undefined || dialect === undefined ? undefined : { version: supported, dialect };
}

/** The parameters in the Content-Type of an aggregated document, which clients compare. */
export function aggregatedParameters(version: AggregatedVersion, dialect: Dialect): string {
  return `;g=${groupInDialect(dialect, DISCOVERY_GROUP)};v=${version};as=${AGGREGATED_KIND}`;
}

/** The apiVersion of an aggregated document. */
export function aggregatedApiVersion(version: AggregatedVersion, dialect: Dialect): string {
  return `${groupInDialect(dialect, DISCOVERY_GROUP)}/${version}`;
}
