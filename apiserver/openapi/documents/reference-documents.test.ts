/**
 * Compares digests of the published OpenAPI documents with those of release 1.31.1: every path and definition, in both
 * versions.
 */
import { readRecording } from '../../../test/replay/recording';
import { body, text, tupleOf } from '../../../test/replay/shape';
import { objectAt } from '../../../shared/values/json';
import { SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { groupInDialect } from '../../../shared/names/dialect';
import { digestsOf, type Digests } from '../../../test/replay/formats/openapi-digests';
import { buildDocumentV2, buildDocumentV3, buildOpenIdPieceV2, buildOverviewPiece } from './documents';
import { OPENID_OVERVIEWS, OVERVIEWS, overviewsOf } from './overviews';

/** The digests in both versions of OpenAPI; `-` for a name that is not in that version. */
interface RecordedDigests {
  readonly v2: string;
  readonly v3: string;
}

/** The recorded digests of all paths, or of all definitions, by name. */
const recorded = (part: keyof Digests): ReadonlyMap<string, RecordedDigests> =>
  new Map(readRecording(`openapi/${part}`, body, tupleOf(text, text, text)).cases.map(([name, v2, v3]) => [name, { v2, v3 }]));
const RECORDED = { paths: recorded('paths'), definitions: recorded('definitions') };

/** Paths of upstream that may be missing because they are not served. */
const LEFT_OUT: readonly RegExp[] = [/^\/logs\/$/, /^\/logs\/\{logpath\}$/, /\/(attach|exec|portforward|proxy|log)(\/\{path\})?$/];

const everything = buildDocumentV2(SERVED_KINDS, 'kubernetes');
const v2 = digestsOf({ ...everything, paths: { ...objectAt(everything, 'paths'), ...buildOpenIdPieceV2('kubernetes').paths } });
/** One row for each group version. */
const rowByGroupVersion = new Map(SERVED_KINDS.map((row) => [`${row.group}/${row.version}`, row]));
const v3 = [...rowByGroupVersion.values()].map((row) => digestsOf(buildDocumentV3(SERVED_KINDS, row, 'kubernetes')));

for (const overview of [...OVERVIEWS.values(), ...OPENID_OVERVIEWS.values(), ...overviewsOf(SERVED_KINDS, 'kubernetes').values()]) {
  const { paths, schemas } = buildOverviewPiece(overview, 'kubernetes');
  v3.push(digestsOf({ paths, components: { schemas } }));
}

/** The names in upstream's spelling; the other spelling has no counterpart there. */
const upstreamNames = (digests: Readonly<Record<string, string>>): string[] =>
  Object.keys(digests).filter((name) => !name.includes('.platform.io'));

/** The names with a digest that differs from the recorded one, each behind the version of OpenAPI. */
function differences(part: keyof Digests): string[] {
  const differingNames = (digests: Digests, version: keyof RecordedDigests): string[] =>
    upstreamNames(digests[part])
      .filter((name) => digests[part][name] !== RECORDED[part].get(name)?.[version])
      .map((name) => `${version} ${name}`);
  return [...new Set([...differingNames(v2, 'v2'), ...v3.flatMap((digests) => differingNames(digests, 'v3'))])];
}

test('every published path has the recorded digest', () => {
  expect(differences('paths')).toEqual([]);
});

test('every published definition has the recorded digest', () => {
  expect(differences('definitions')).toEqual([]);
});

test('the published paths contain every recorded path of the served kinds', () => {
  const rootOf = ({ group, version }: KindRow): string =>
    group === '' ? '/api/v1/' : `/apis/${groupInDialect('kubernetes', group)}/${version}/`;
  const isServed = (path: string): boolean => SERVED_KINDS.some((row) => path.startsWith(rootOf(row)));
  const missing = [...RECORDED.paths.keys()].filter(
    (path) => isServed(path) && v2.paths[path] === undefined && !LEFT_OUT.some((pattern) => pattern.test(path)),
  );
  expect(missing).toEqual([]);
});
