/** All that is said of types and members: by the installed packages, and where they leave something out in words of ours (own-texts.json). */
import rows from '../generated/types.json';
import { readDescriptions, type Descriptions } from './descriptions';
import { fillFrom, fillWith } from './fill';
import { readModels } from './models';
import own from './own-texts.json';
import { readDeclarations, readModelDeclarations } from './packages';

/** Undefined where the packages are not installed. */
export function readTexts(): Descriptions | undefined {
  const declarations = readDeclarations();
  if (declarations === undefined) return undefined;
  const descriptions = readDescriptions(declarations);
  fillFrom(readModels(readModelDeclarations()), Object.keys(rows), descriptions);
  fillWith(own, rows, descriptions);
  return descriptions;
}
