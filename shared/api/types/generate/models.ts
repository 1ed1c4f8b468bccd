/**
 * Reads the comments of the classes that @kubernetes/client-node makes of a later release's OpenAPI document: what the other package
 * (descriptions.ts) leaves out is said there, of states above all. The texts are not ours, and stay in the installed package likewise.
 */
import { linesOf, type Descriptions } from './descriptions';

const COMMENTED = /\/\*\*\n((?:(?!\*\/)[^])*)\*\/\n[ \t]*(?:export declare class (\w+)|'([^'\n]+)'\??:)/g;

/** By class (`V1PodStatus`), then by member; the text of the class itself stands under the empty name. One class per text. */
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

/** Words that mean something in the language, and names that it cannot spell, are written otherwise. */
const memberOf = (name: string): string => (name.startsWith('x_') ? name.replaceAll('_', '-') : name.replace(/^_/, ''));

/** As it was before it was put into a comment. */
function textOf(comment: string): string {
  return linesOf(comment)
    .join('\n')
    .trim()
    .replaceAll('*_/', '*/')
    .replace(/\\(['"\\])/g, '$1');
}
