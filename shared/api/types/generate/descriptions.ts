/**
 * Reads the descriptions of types and fields from the interfaces that cdk8s generates from the OpenAPI document of the
 * release. The texts are third-party and are not copied into the repository; the build writes them beside its output
 * (describe.ts).
 */
import { PUBLISHED_PREFIXES } from './packages';

/** By type (`core.v1.ServicePort`), then by field; the description of the type itself has an empty field name. */
export type Descriptions = Record<string, Record<string, string>>;

/** A comment, with its text, the type and the field of its last tag: `@schema io.k8s.api.core.v1.ServicePort#port`. */
const COMMENT = /\/\*\*\n((?:[ \t]*\*(?!\/).*\n)*?)[ \t]*\* @schema (io\.k8s\.[\w.-]+)(?:#(\S+))?\s*\*\//g;

/** Reads the text of the declaration file. */
export function readDescriptions(declarations: string): Descriptions {
  const descriptions: Descriptions = {};
  for (const [, comment = '', published = '', member = ''] of declarations.matchAll(COMMENT)) {
    const prefix = PUBLISHED_PREFIXES.find((candidate) => published.startsWith(candidate));
    const text = textOf(comment);
    if (prefix !== undefined && text !== '') (descriptions[published.slice(prefix.length)] ??= {})[member] = text;
  }
  return descriptions;
}

/** The comment without its stars and without the tags that cdk8s adds. */
function textOf(comment: string): string {
  const lines = linesOf(comment);
  const tag = lines.findIndex((line) => line.startsWith('@'));
  return (tag < 0 ? lines : lines.slice(0, tag)).join('\n').trim();
}

/** The lines of a comment without the stars. */
export const linesOf = (comment: string): readonly string[] => comment.split('\n').map((line) => line.replace(/^[ \t]*\* ?/, ''));
