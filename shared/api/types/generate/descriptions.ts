/**
 * Reads what the release's OpenAPI document says about types and members from the interfaces that cdk8s generates from it. The texts are not
 * ours: they stay in the installed package, and a build puts them beside its output (describe.ts).
 */
import { PUBLISHED_PREFIX } from './packages';

/** By type (`core.v1.ServicePort`), then by member; the text of the type itself stands under the empty name. */
export type Descriptions = Record<string, Record<string, string>>;

const COMMENT = /\/\*\*\n((?:[ \t]*\*(?!\/).*\n)*?)[ \t]*\* @schema (io\.k8s\.[\w.-]+)(?:#(\S+))?\s*\*\//g;

export function readDescriptions(declarations: string): Descriptions {
  const descriptions: Descriptions = {};
  for (const [, comment = '', published = '', member = ''] of declarations.matchAll(COMMENT)) {
    const prefix = PUBLISHED_PREFIX.find((candidate) => published.startsWith(candidate));
    const text = textOf(comment);
    if (prefix !== undefined && text !== '') (descriptions[published.slice(prefix.length)] ??= {})[member] = text;
  }
  return descriptions;
}

/** Without the stars, and without the tags that cdk8s adds. */
function textOf(comment: string): string {
  const lines = linesOf(comment);
  const tag = lines.findIndex((line) => line.startsWith('@'));
  return (tag < 0 ? lines : lines.slice(0, tag)).join('\n').trim();
}

/** Of a comment, without the stars. */
export const linesOf = (comment: string): readonly string[] => comment.split('\n').map((line) => line.replace(/^[ \t]*\* ?/, ''));
