/** Our documents against digests of the reference server's: every path and definition that we publish, in both versions. */
import { recordedAnswers } from '../../test/recordings/answers';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { digestsOf, type Digests } from '../../test/support/openapi-digests';
import { documentV2, documentV3 } from './documents';

const RECORDED = recordedAnswers<Digests>('openapi/digests');

/** Paths of the reference's that we may leave out: what is not served, and what discovery says without being described. */
const LEFT_OUT: readonly RegExp[] = [
  /^\/(api|apis|version|logs|openid\/v1\/jwks|\.well-known\/openid-configuration)\/$/,
  /^\/apis\/[^/]+\/$/,
  /^\/logs\/\{logpath\}$/,
  /\/(attach|exec|portforward|proxy|log)(\/\{path\})?$/,
];

const v2 = digestsOf(documentV2(SERVED_KINDS, 'kubernetes'));
const v3 = [...new Map(SERVED_KINDS.map((row) => [`${row.group}/${row.version}`, row])).values()].map((row) =>
  digestsOf(documentV3(SERVED_KINDS, row, 'kubernetes')),
);

/** In upstream's spelling only: the other one has no counterpart. */
const names = (digests: Readonly<Record<string, string>>): string[] =>
  Object.keys(digests).filter((name) => !name.includes('.platform.io'));

function differences(part: keyof Digests): string[] {
  const wrong = (digests: Digests, at: 0 | 1): string[] =>
    names(digests[part])
      .filter((name) => digests[part][name] !== RECORDED[part][name]?.split(' ')[at])
      .map((name) => `v${at + 2} ${name}`);
  return [...new Set([...wrong(v2, 0), ...v3.flatMap((digests) => wrong(digests, 1))])];
}

test('every path is described as the reference describes it', () => {
  expect(differences('paths')).toEqual([]);
});

test('every definition is the reference’s', () => {
  expect(differences('definitions')).toEqual([]);
});

test('nothing that is served is left out', () => {
  const served = (path: string): boolean =>
    SERVED_KINDS.some((row) =>
      path.startsWith(row.group === '' ? '/api/v1/' : `/apis/${row.group.replace('.platform.io', '.k8s.io')}/${row.version}/`),
    );
  const missing = Object.keys(RECORDED.paths).filter(
    (path) => served(path) && v2.paths[path] === undefined && !LEFT_OUT.some((pattern) => pattern.test(path)),
  );
  expect(missing).toEqual([]);
});
