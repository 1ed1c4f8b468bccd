/**
 * Collects the descriptions of types and fields: from the installed packages, completed with those in own-texts.json.
 */
import rows from '../generated/types.json';
import { readDescriptions, type Descriptions } from './descriptions';
import { addModelDescriptions, addOwnDescriptions } from './complete-descriptions';
import { readModels } from './models';
import own from './own-texts.json';
import { readDeclarations, readModelDeclarations } from './packages';

/** The descriptions of all types; `undefined` when the package cdk8s-plus-31 is not installed. */
export function readAllDescriptions(): Descriptions | undefined {
  const declarations = readDeclarations();
  if (declarations === undefined) return undefined;
  const descriptions = readDescriptions(declarations);
  addModelDescriptions(readModels(readModelDeclarations()), Object.keys(rows), descriptions);
  addOwnDescriptions(own, rows, descriptions);
  return descriptions;
}
