/**
 * Reads which fields are required from the TypeScript interfaces that cdk8s generates from the release's OpenAPI
 * document.
 */
import { PUBLISHED_PREFIXES } from './packages';

/** Names of required fields by type (`core.v1.ServicePort`). */
export type RequiredMembers = Map<string, Set<string>>;

/** The tag of a member (`@schema io.k8s.api.core.v1.ServicePort#port`), and whether a question mark follows its name. */
const MEMBER = /@schema (io\.k8s\.[\w.-]+)#(\S+)\s+\*\/\s+readonly \w+(\??):/g;

/** Reads the text of the declaration file. A type without required fields has an empty set. */
export function readRequired(declarations: string): RequiredMembers {
  const required: RequiredMembers = new Map();
  for (const [, published = '', member = '', optional] of declarations.matchAll(MEMBER)) {
    const prefix = PUBLISHED_PREFIXES.find((candidate) => published.startsWith(candidate));
    if (prefix === undefined) continue;
    const type = published.slice(prefix.length);
    const members = required.get(type) ?? new Set();
    required.set(type, members);
    if (optional === '') members.add(member);
  }
  return required;
}
