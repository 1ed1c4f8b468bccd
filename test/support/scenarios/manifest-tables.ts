/**
 * The manifests of a shop and of a platform, and the tables that kubectl prints of them, in a form that does not depend
 * on ages and column widths.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../repository';
import type { KubectlSession } from '../external/kubectl-session';

const FOLDER = path.join(repository, 'test/e2e/manifests');

/** Both files in the order in which they can be applied; cluster-scoped objects are named `show-…`. */
export function manifests(namespace: string): string {
  const texts = ['platform.yaml', 'shop.yaml'].map((file) => readFileSync(path.join(FOLDER, file), 'utf8'));
  return texts.join('---\n').replaceAll('NAMESPACE', namespace);
}

/** The file with the tables that kubectl prints of the reference server. */
export const RECORDED_TABLES = path.join(FOLDER, 'tables.txt');

/** The output of `kubectl get` and `kubectl get -o wide` for every object, with masked cells. */
export async function printedTables(session: KubectlSession): Promise<string> {
  const input = manifests(session.namespace);
  const plain = await session.ok('get -f -', input);
  const wide = await session.ok('get -o wide -f -', input);
  return `${maskTable(plain, session.namespace)}\n${maskTable(wide, session.namespace)}\n`;
}

/** Cells that differ between runs or servers, and what replaces them. */
const MASKS: readonly { readonly cell: RegExp; readonly mask: string }[] = [
  { cell: /^(?:\d+[ydhms])+$/, mask: '<age>' },
  { cell: /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/, mask: '<time>' },
  { cell: /^(?:admin|platform-admin)$/, mask: '<user>' },
  // A column of FlowSchemas, which controllers of the reference server write.
  { cell: /^(?:\?|False)$/, mask: '<dangling>' },
];

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const maskCell = (text: string): string => MASKS.find(({ cell }) => cell.test(text))?.mask ?? text;

function maskTable(output: string, namespace: string): string {
  const lines = output.trimEnd().split('\n');
  const cells = lines.map((line) => line.trim().split(/ {2,}/).map(maskCell).join(' | '));
  return cells.join('\n').replaceAll(namespace, '<namespace>').replace(UID, '<uid>');
}
