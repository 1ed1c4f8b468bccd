/** Translates whole JSON texts between the canonical names of recordings and those of a kube-apiserver. */
import { canonicalGroup, canonicalQualifiedName, groupInDialect, qualifiedNameInDialect } from '../../../shared/names/dialect';

/** In messages, a name may follow the fields that lead to it. */
const QUALIFIED_NAME = /((?:[a-z]+[A-Z][a-zA-Z]*\.)*)([a-zA-Z0-9.-]+\.io\/[a-zA-Z0-9.-]+)/g;
const UPSTREAM_GROUP = /[a-z.]+\.k8s\.io/g;
const CANONICAL_GROUP = /[a-z.-]+\.platform\.io(?!\/)|[a-z.-]+\.platform\.io(?=\/v\d)/g;
const CANONICAL_NAME = /[a-zA-Z0-9.-]*platform\.io\/[a-zA-Z0-9.-]+/g;

export function toCanonical(text: string): string {
  return text
    .replace(QUALIFIED_NAME, (_, fields: string, name: string) => fields + canonicalQualifiedName(name))
    .replace(UPSTREAM_GROUP, canonicalGroup);
}

/** Groups are followed by a version or by nothing, qualified names by a name. */
export function toUpstream(text: string): string {
  return text
    .replace(CANONICAL_GROUP, (group) => groupInDialect('kubernetes', group))
    .replace(CANONICAL_NAME, (name) => qualifiedNameInDialect('kubernetes', name));
}
