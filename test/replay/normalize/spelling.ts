/** Translates whole texts between canonical names and those of the reference server; also the media types of patches. */
import { groupInDialect, otherQualifiedName, PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import { STORED_KINDS } from '../../../shared/api/kinds';

/** By the short names of patch types in recordings. */
export const PATCH_MEDIA: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const GROUPS = [...new Set([...STORED_KINDS.map(({ group }) => group), 'meta.platform.io'])];
const PREFIX = otherQualifiedName('platform.io/x')?.split('/')[0] ?? '';

interface Spelling {
  readonly canonical: string;
  /** That of the reference server. */
  readonly upstream: string;
}

/** Longer names come before those that they contain. */
const SPELLINGS: readonly Spelling[] = [
  ...GROUPS.map((group) => ({ canonical: group, upstream: groupInDialect('kubernetes', group) })).filter(
    ({ canonical, upstream }) => canonical !== upstream,
  ),
  { canonical: PROTOBUF_MEDIA_TYPE.platform, upstream: PROTOBUF_MEDIA_TYPE.kubernetes },
  { canonical: 'platform.io', upstream: PREFIX },
  { canonical: 'platform-system', upstream: 'kube-system' },
  { canonical: 'platform-public', upstream: 'kube-public' },
];

/** Replaces the finalizer of namespaces, in JSON, which is named after the product. */
const replaceFinalizer = (text: string, from: string, to: string): string =>
  text.replace(new RegExp(`("finalizers":\\[(?:"[^"]*",)*)"${from}"`, 'g'), `$1"${to}"`);

/** From canonical names to those of the reference server. */
export const toServerNames = (text: string): string => {
  const translated = SPELLINGS.reduce((result, { canonical, upstream }) => result.replaceAll(canonical, upstream), text);
  return replaceFinalizer(translated, 'platform', 'kubernetes');
};

/** From the names of the reference server to canonical ones. */
export const fromServerNames = (text: string): string => {
  const translated = SPELLINGS.reduce((result, { canonical, upstream }) => result.replaceAll(upstream, canonical), text);
  return replaceFinalizer(translated, 'kubernetes', 'platform');
};
