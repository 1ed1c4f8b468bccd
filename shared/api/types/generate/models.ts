/**
 * Reads the comments of the classes of @kubernetes/client-node, which are generated from the OpenAPI document of a later
 * release. They describe fields that the package cdk8s-plus (descriptions.ts) leaves out, mostly those of statuses. The
 * texts are third-party and are not copied into the repository.
 */
import { linesOf, type Descriptions } from './descriptions';

/** A comment, with its text and the name of the class or of the quoted member that follows it. */
const COMMENTED = /\/\*\*\n((?:(?!\*\/)[^])*)\*\/\n[ \t]*(?:export declare class (\w+)|'([^'\n]+)'\??:)/g;

/**
 * Reads the texts of declaration files, each of which declares one class. Returns the descriptions by class
 * (`V1PodStatus`), then by field; that of the class itself has an empty field name.
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

/** The JSON name of a class member: `_continue` → `continue`, `x_kubernetes_list_type` → `x-kubernetes-list-type`. */
const memberOf = (name: string): string => (name.startsWith('x_') ? name.replaceAll('_', '-') : name.replace(/^_/, ''));

/** The description as it was before it was escaped for a comment. */
function textOf(comment: string): string {
  return linesOf(comment)
    .join('\n')
    .trim()
    .replaceAll('*_/', '*/')
    .replace(/\\(['"\\])/g, '$1');
}
