/**
 * The entry point of `npm run manifests`: renders the Helm chart into deploy/manifests, one file for each row of
 * `MANIFESTS`. A test compares the files with the chart, so this runs after each change of the chart.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../external/find-program';
import { packagedProgram } from '../external/kubectl';
import { repository } from '../repository';
import { MANIFESTS, renderManifests } from './manifests';

async function main(): Promise<void> {
  const helm = packagedProgram('helm') ?? findProgram('helm');
  if (helm === undefined) throw new Error('there is no helm on PATH');
  for (const [file, values] of Object.entries(MANIFESTS))
    writeFileSync(path.join(repository, 'deploy/manifests', file), await renderManifests(helm, values));
  process.stdout.write(`deploy/manifests: ${Object.keys(MANIFESTS).join(', ')}\n`);
}

void main();
