/**
 * Reads the comments of the classes that @kubernetes/client-node generates from a later release's OpenAPI document.
 * They describe what the other package (descriptions.ts) leaves out, status fields above all. The texts are third-party
 * and stay in the installed package.
 */
import { linesOf, type Descriptions } from './descriptions';

/** A comment, with its text and the name of the class or of the quoted member that follows it. */
const COMMENTED = /\/\*\*\n((?:(?!\*\/)[^])*)\*\/\n[ \t]*(?:export declare class (\w+)|'([^'\n]+)'\??:)/g;

/**
 * By class (`V1PodStatus`), then by field; the description of the class itself has an empty field name. Each text
 * declares one class.
 */
export function readModels(declarations: Iterable<string>): Descriptions {
  const models: Descriptions = {};
  for (const declaration of declarations) {
    let members: Record<string, string> = {};
    for (const [, comment = '', model, member = ''] of declaration.matchAll(COMMENTED)) {
      if (model !== undefined) models[model] = members = {};
      members[memberOf(member)] = textOf(comment);
    }
  }
  return models;
}

/** Reverses the renaming of reserved words and of names that are not TypeScript identifiers. */
const memberOf = (name: string): string => (name.startsWith('x_') ? name.replaceAll('_', '-') : name.replace(/^_/, ''));

/** The description as it was before it was escaped for a comment. */
function textOf(comment: string): string {
  return linesOf(comment)
    .join('\n')
    .trim()
    .replaceAll('*_/', '*/')
    .replace(/\\(['"\\])/g, '$1');
}
