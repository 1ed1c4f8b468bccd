/**
 * Content negotiation: evaluates the Accept header as upstream does. Clauses are tried by quality and then in the
 * client's order; parsed headers are cached, because clients send few different ones.
 */
import type { KindRow } from '../../../shared/api/kinds';
import { notAcceptable, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, groupInDialect, type Dialect } from '../../../shared/names/dialect';

/** The encoding of a response. */
export type Media = 'json' | 'yaml' | 'protobuf';
/**
 * What is shown of each object: all of it, a Table row, or its metadata as PartialObjectMetadata (of an object) or
 * PartialObjectMetadataList (of a list).
 */
export type Transform = 'none' | 'table' | 'partial' | 'partialList';

/** The form of a response that an Accept header has selected. */
export interface Representation {
  readonly media: Media;
  readonly transform: Transform;
  /** The version of the meta group in which a transform is requested. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** The dialect of the media type or of `g=`; `undefined` when neither determines it. */
  readonly dialect: Dialect | undefined;
  /** Whether JSON is indented, regardless of the query. */
  readonly pretty: boolean;
}

/** The representation for clients that state no preference. */
const PLAIN_JSON: Representation = { media: 'json', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false };

/**
 * The representations that a route offers: an object or list, an operation (never a Table), a list or watch, a watch.
 */
export type Offer = 'object' | 'operation' | 'watchable' | 'watch';

/** One clause of an Accept header, such as `application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9`. */
interface Clause {
  readonly representation: Representation;
  readonly quality: number;
  /** Whether the media type is known. */
  readonly isKnown: boolean;
  /** Whether the parameters can be served for an object. */
  readonly servesObject: boolean;
  /** Whether the parameters can be served for a stream. */
  readonly servesStream: boolean;
}

/** Limits of the cache of parsed Accept headers. Clients choose the headers, so it is cleared when it is full. */
const MAX_CACHED_HEADERS = 256;
const MAX_CACHED_LENGTH = 1024;
/** Maximum number of clauses of a header; further ones are ignored. */
const MAX_CLAUSES = 64;
const clauseCache = new Map<string, readonly Clause[]>();

/**
 * Selects the representation of the response: that of the first clause which the route can serve. `kind` is that of the
 * objects in the response. Throws upstream's 406.
 */
export function negotiate(accept: string | undefined, offer: Offer, naming: Dialect, kind: Pick<KindRow, 'custom'> = {}): Representation {
  const acceptsPlainJson = accept === undefined || accept === '' || accept === JSON_MEDIA_TYPE || accept === '*/*';
  if (acceptsPlainJson) return PLAIN_JSON;
  const clauses = clausesOf(accept);
  let isKnown = false;
  for (const clause of clauses) {
    if (!clause.isKnown) continue;
    isKnown = true;
    if (serves(offer, clause) && !needsFieldNumbers(kind, clause)) return clause.representation;
  }
  throw isKnown ? unservedParametersError(offer, naming) : unknownTypesError(offer, naming);
}

/** Whether the clause requests whole objects of a custom kind in protobuf: custom kinds have no field numbers. */
function needsFieldNumbers({ custom }: Pick<KindRow, 'custom'>, { representation: { media, transform } }: Clause): boolean {
  return custom !== undefined && media === 'protobuf' && transform === 'none';
}

function serves(offer: Offer, clause: Clause): boolean {
  switch (offer) {
    case 'watch':
      return clause.servesStream;
    case 'operation':
      return clause.servesObject && clause.representation.transform !== 'table';
    case 'object':
    case 'watchable':
      return clause.servesObject;
  }
}

/** The representation of a Status: the first plain media type that the client accepts; `undefined` when there is none. */
export function negotiateStatus(accept: string | undefined): Representation | undefined {
  if (accept === undefined || accept === '') return PLAIN_JSON;
  return clausesOf(accept).find((clause) => clause.isKnown && clause.servesObject && clause.representation.transform === 'none')
    ?.representation;
}

/** Media types of bodies, as listed in 406 and 415 responses. */
export function bodyTypes(naming: Dialect): readonly string[] {
  return [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE[naming]];
}

function streamTypes(naming: Dialect): readonly string[] {
  return [`${JSON_MEDIA_TYPE};stream=watch`, `${PROTOBUF_MEDIA_TYPE[naming]};stream=watch`];
}

/** The error for a header without a known media type. */
function unknownTypesError(offer: Offer, naming: Dialect): StatusError {
  const types = offer === 'object' || offer === 'operation' ? bodyTypes(naming) : [...bodyTypes(naming), ...streamTypes(naming)];
  return notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {});
}

/** The error for a header with known media types, of which none can be served with its parameters. */
function unservedParametersError(offer: Offer, naming: Dialect): StatusError {
  const types = offer === 'watch' ? streamTypes(naming) : bodyTypes(naming);
  return notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);
}

function clausesOf(accept: string): readonly Clause[] {
  const cached = clauseCache.get(accept);
  if (cached !== undefined) return cached;
  const clauses = accept
    .split(',')
    .slice(0, MAX_CLAUSES)
    .map(parseClause)
    // The order of equal qualities stays.
    .sort((a, b) => b.quality - a.quality);
  if (clauseCache.size >= MAX_CACHED_HEADERS) clauseCache.clear();
  if (accept.length <= MAX_CACHED_LENGTH) clauseCache.set(accept, clauses);
  return clauses;
}

function parseClause(text: string): Clause {
  const [type = '', ...pairs] = text.split(';').map((part) => part.trim());
  const parameters = new Map(pairs.map(splitPair));
  const quality = Number(parameters.get('q') ?? '1');
  const { media, dialect } = mediaOf(type);
  const transform = transformOf(parameters);
  const stream = parameters.get('stream');
  const isStreamServable = stream === undefined || (stream === 'watch' && media !== 'yaml');
  const isTransformServable = transform !== undefined && !(transform.transform === 'table' && media === 'protobuf');
  const isServable = media !== undefined && isStreamServable && isTransformServable;
  return {
    representation: {
      media: media ?? 'json',
      transform: transform?.transform ?? 'none',
      metaVersion: transform?.metaVersion ?? 'v1',
      dialect: dialect ?? transform?.dialect,
      pretty: parameters.get('pretty') === '1',
    },
    quality: Number.isNaN(quality) ? 1 : quality,
    isKnown: media !== undefined,
    servesObject: isServable,
    servesStream: isServable && media !== 'yaml',
  };
}

/** Splits `name=value`. */
function splitPair(text: string): [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

/** The media type of a clause, and the dialect of that name; both `undefined` for an unknown one. */
function mediaOf(type: string): { readonly media: Media | undefined; readonly dialect: Dialect | undefined } {
  switch (type) {
    case '*/*':
    case JSON_MEDIA_TYPE:
      return { media: 'json', dialect: undefined };
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

/**
 * The transform that the parameters of a clause request, as in `as=Table;v=v1;g=meta.k8s.io`; `undefined` when it is not
 * served.
 */
function transformOf(
  parameters: ReadonlyMap<string, string>,
): { readonly transform: Transform; readonly metaVersion: 'v1' | 'v1beta1'; readonly dialect: Dialect | undefined } | undefined {
  const as = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (as === undefined && group === undefined && version === undefined) return { transform: 'none', metaVersion: 'v1', dialect: undefined };
  const transform = TRANSFORMS.get(as ?? '');
  const dialect = metaDialect(group);
  const isKnownVersion = version === 'v1' || version === 'v1beta1';
  if (transform === undefined || dialect === undefined || !isKnownVersion) return undefined;
  return { transform, metaVersion: version, dialect };
}

const META_GROUP = 'meta.platform.io';

/** The dialect of `g=`, which must name the meta group; `undefined` for other groups. */
function metaDialect(group: string | undefined): Dialect | undefined {
  if (group === groupInDialect('platform', META_GROUP)) return 'platform';
  return group === groupInDialect('kubernetes', META_GROUP) ? 'kubernetes' : undefined;
}
