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

export const RECORDED_TABLES = path.join(FOLDER, 'tables.txt');

/** The output of `kubectl get` and `kubectl get -o wide` for every object, with masked cells. */
export async function printedTables(session: KubectlSession): Promise<string> {
  const input = manifests(session.namespace);
  const plain = await session.ok('get -f -', input);
  const wide = await session.ok('get -o wide -f -', input);
  return `${maskTable(plain, session.namespace)}\n${maskTable(wide, session.namespace)}\n`;
}

/** Cells with a time, with a user, and with a state that the controllers of the reference server write. */
const MASKS: readonly (readonly [cell: RegExp, mask: string])[] = [
  [/^(?:\d+[ydhms])+$/, '<age>'],
  [/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/, '<time>'],
  [/^(?:admin|platform-admin)$/, '<user>'],
  [/^(?:\?|False)$/, '<dangling>'],
];

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const maskCell = (cell: string): string => MASKS.find(([pattern]) => pattern.test(cell))?.[1] ?? cell;

function maskTable(output: string, namespace: string): string {
  const lines = output.trimEnd().split('\n');
  const cells = lines.map((line) => line.trim().split(/ {2,}/).map(maskCell).join(' | '));
  return cells.join('\n').replaceAll(namespace, '<namespace>').replace(UID, '<uid>');
}
