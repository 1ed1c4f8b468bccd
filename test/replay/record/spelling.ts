/**
 * Translates API groups and qualified names in a text (JSON, a message, an `apiVersion`) between the canonical names of
 * recordings and those of a kube-apiserver, by their form. normalize/spelling.ts replaces a list of names instead, which
 * includes namespaces, media types and finalizers; those are not translated here.
 */
import { canonicalGroup, canonicalQualifiedName, groupInDialect, qualifiedNameInDialect } from '../../../shared/names/dialect';

/**
 * A qualified name in either spelling, after the camel-case fields that lead to it in messages:
 * `nodeTopology.matchLabels.` and `failure-domain.beta.kubernetes.io/zone`. A group with a version has the same form, and
 * canonicalQualifiedName returns it unchanged.
 */
const QUALIFIED_NAME = /((?:[a-z]+[A-Z][a-zA-Z]*\.)*)([a-zA-Z0-9.-]+\.io\/[a-zA-Z0-9.-]+)/g;

/**
 * `rbac.authorization.k8s.io`, with or without a version after it. A group with a hyphen is not matched as a whole and so
 * stays as it is; the only one is `pod-security.admission.config`, which occurs in configuration files alone.
 */
const UPSTREAM_GROUP = /[a-z.]+\.k8s\.io/g;

/** A group is followed by a version (`node.platform.io/v1`) or by no slash (`node.platform.io`). */
const CANONICAL_GROUP = /[a-z.-]+\.platform\.io(?!\/)|[a-z.-]+\.platform\.io(?=\/v\d)/g;

/** A qualified name is followed by a slash and a name: `node.platform.io/not-ready`, `platform.io/tls`. */
const CANONICAL_NAME = /[a-zA-Z0-9.-]*platform\.io\/[a-zA-Z0-9.-]+/g;

/** The order of the replacements makes no difference: each leaves the result of the other as it is. */
export function toCanonical(text: string): string {
  return text
    .replace(QUALIFIED_NAME, (_, fields: string, name: string) => fields + canonicalQualifiedName(name))
    .replace(UPSTREAM_GROUP, canonicalGroup);
}

/** Groups come first: `node.platform.io/v1` also has the form of a name, and would become `node.kubernetes.io/v1`. */
export function toUpstream(text: string): string {
  return text
    .replace(CANONICAL_GROUP, (group) => groupInDialect('kubernetes', group))
    .replace(CANONICAL_NAME, (name) => qualifiedNameInDialect('kubernetes', name));
}
