/**
 * Which representation a client accepts: the Accept header read as upstream reads it.
 * Never encodes anything.
 */
import type { KindRow } from '../../../shared/api/kinds';
import { notAcceptable, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, groupIn, type Dialect } from '../../../shared/names/dialect';

export type Media = 'json' | 'yaml' | 'protobuf';
export type Transform = 'none' | 'table' | 'partial' | 'partialList';

export interface Representation {
  readonly media: Media;
  readonly transform: Transform;
  /** Version of the meta group that a transform is asked in. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** The dialect that the media type or `g=` is spelled in; undefined when neither tells. */
  readonly dialect: Dialect | undefined;
  /** JSON is to be indented, whatever else the request says about that. */
  readonly pretty: boolean;
}

const PLAIN_JSON: Representation = { media: 'json', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false };

/** What a route can answer with: an object or list, or (also) a stream; of an operation never a Table. */
export type Offer = 'object' | 'operation' | 'watchable' | 'watch';

interface Clause {
  readonly representation: Representation;
  readonly quality: number;
  /** The media type is known. */
  readonly known: boolean;
  /** Its parameters can be served for an object. */
  readonly object: boolean;
  /** … and for a stream. */
  readonly stream: boolean;
}

const MAX_REMEMBERED = 256;
const remembered = new Map<string, readonly Clause[]>();

/** The representation to answer with; throws the 406 that upstream would answer with. */
export function negotiate(accept: string | undefined, offer: Offer, naming: Dialect, kind: Pick<KindRow, 'custom'> = {}): Representation {
  if (accept === undefined || accept === '' || accept === JSON_MEDIA_TYPE || accept === '*/*') return PLAIN_JSON;
  const clauses = clausesOf(accept);
  let known = false;
  for (const clause of clauses) {
    if (!clause.known) continue;
    known = true;
    if (serves(offer, clause) && !isUntyped(kind, clause)) return clause.representation;
  }
  throw known ? unservable(offer, naming) : unknownTypes(offer, naming);
}

/** Of a custom kind only the metadata can be written as protobuf. */
function isUntyped({ custom }: Pick<KindRow, 'custom'>, { representation: { media, transform } }: Clause): boolean {
  return custom !== undefined && media === 'protobuf' && transform === 'none';
}

function serves(offer: Offer, clause: Clause): boolean {
  switch (offer) {
    case 'watch':
      return clause.stream;
    case 'operation':
      return clause.object && clause.representation.transform !== 'table';
    case 'object':
    case 'watchable':
      return clause.object;
  }
}

/** How a Status is written: in the first plain media type that the client accepts; undefined when there is none. */
export function negotiateStatus(accept: string | undefined): Representation | undefined {
  if (accept === undefined || accept === '') return PLAIN_JSON;
  return clausesOf(accept).find((clause) => clause.known && clause.object && clause.representation.transform === 'none')?.representation;
}

/** Media types of bodies, as listed in 406 and 415 answers. */
export function bodyTypes(naming: Dialect): readonly string[] {
  return [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE[naming]];
}

function streamTypes(naming: Dialect): readonly string[] {
  return [`${JSON_MEDIA_TYPE};stream=watch`, `${PROTOBUF_MEDIA_TYPE[naming]};stream=watch`];
}

function unknownTypes(offer: Offer, naming: Dialect): StatusError {
  const types = offer === 'object' || offer === 'operation' ? bodyTypes(naming) : [...bodyTypes(naming), ...streamTypes(naming)];
  return notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {});
}

function unservable(offer: Offer, naming: Dialect): StatusError {
  const types = offer === 'watch' ? streamTypes(naming) : bodyTypes(naming);
  return notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);
}

function clausesOf(accept: string): readonly Clause[] {
  const found = remembered.get(accept);
  if (found !== undefined) return found;
  const clauses = accept
    .split(',')
    .slice(0, 64)
    .map(parseClause)
    .sort((a, b) => b.quality - a.quality);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (accept.length <= 1024) remembered.set(accept, clauses);
  return clauses;
}

function parseClause(text: string): Clause {
  const [type = '', ...pairs] = text.split(';').map((part) => part.trim());
  const parameters = new Map(pairs.map(splitPair));
  const quality = Number(parameters.get('q') ?? '1');
  const { media, dialect } = mediaOf(type);
  const transform = transformOf(parameters);
  const stream = parameters.get('stream');
  const servable =
    transform !== undefined &&
    (stream === undefined || (stream === 'watch' && media !== 'yaml')) &&
    !(transform.transform === 'table' && media === 'protobuf');
  return {
    representation: {
      media: media ?? 'json',
      transform: transform?.transform ?? 'none',
      metaVersion: transform?.metaVersion ?? 'v1',
      dialect: dialect ?? transform?.dialect,
      pretty: parameters.get('pretty') === '1',
    },
    quality: Number.isNaN(quality) ? 1 : quality,
    known: media !== undefined,
    object: media !== undefined && servable,
    stream: media !== undefined && servable && media !== 'yaml',
  };
}

function splitPair(text: string): [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

function mediaOf(type: string): { readonly media: Media | undefined; readonly dialect: Dialect | undefined } {
  switch (type) {
    case '':
    case '*/*':
    case JSON_MEDIA_TYPE:
      return { media: type === '' ? undefined : 'json', dialect: undefined };
    case YAML_MEDIA_TYPE:
      return { media: 'yaml', dialect: undefined };
    case PROTOBUF_MEDIA_TYPE.platform:
      return { media: 'protobuf', dialect: 'platform' };
    case PROTOBUF_MEDIA_TYPE.kubernetes:
      return { media: 'protobuf', dialect: 'kubernetes' };
    default:
      return { media: undefined, dialect: undefined };
  }
}

const TRANSFORMS: ReadonlyMap<string, Transform> = new Map([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'partial'],
  ['PartialObjectMetadataList', 'partialList'],
]);

/** Undefined when the clause asks for something that is not served. */
function transformOf(
  parameters: ReadonlyMap<string, string>,
): { readonly transform: Transform; readonly metaVersion: 'v1' | 'v1beta1'; readonly dialect: Dialect | undefined } | undefined {
  const as = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (as === undefined && group === undefined && version === undefined) return { transform: 'none', metaVersion: 'v1', dialect: undefined };
  const transform = TRANSFORMS.get(as ?? '');
  const dialect = metaDialect(group);
  if (transform === undefined || dialect === undefined || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  return { transform, metaVersion: version, dialect };
}

const META_GROUP = 'meta.platform.io';

function metaDialect(group: string | undefined): Dialect | undefined {
  if (group === groupIn('platform', META_GROUP)) return 'platform';
  return group === groupIn('kubernetes', META_GROUP) ? 'kubernetes' : undefined;
}
