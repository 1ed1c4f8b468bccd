/**
 * Translates whole texts between canonical names and those of the reference server; and media types of patches by short
 * name.
 */
import { groupInDialect, otherQualifiedName, PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import { STORED_KINDS } from '../../../shared/api/kinds';

export const PATCH_MEDIA: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const GROUPS = [...new Set([...STORED_KINDS.map(({ group }) => group), 'meta.platform.io'])];
const PREFIX = otherQualifiedName('platform.io/x')?.split('/')[0] ?? '';

/** Canonical names with those of the reference server. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ...GROUPS.map((group) => [group, groupInDialect('kubernetes', group)] as const).filter(([ours, theirs]) => ours !== theirs),
  [PROTOBUF_MEDIA_TYPE.platform, PROTOBUF_MEDIA_TYPE.kubernetes],
  ['platform.io', PREFIX],
  ...(['system', 'public'] as const).map((name) => [`platform-${name}`, `kube-${name}`] as const),
];

/** The finalizer of namespaces, in JSON. */
const replaceFinalizer = (text: string, from: string, to: string): string =>
  text.replace(new RegExp(`("finalizers":\\[(?:"[^"]*",)*)"${from}"`, 'g'), `$1"${to}"`);

export const toServerNames = (text: string): string =>
  replaceFinalizer(
    SPELLINGS.reduce((left, [ours, theirs]) => left.replaceAll(ours, theirs), text),
    'platform',
    'kubernetes',
  );
export const fromServerNames = (text: string): string =>
  replaceFinalizer(
    SPELLINGS.reduce((left, [ours, theirs]) => left.replaceAll(theirs, ours), text),
    'kubernetes',
    'platform',
  );
