/**
 * Runs the commands of README.md and docs/guide as a reader pastes them, each page from top to bottom, against control
 * planes that its own commands start. test/support/documents/page-blocks.ts describes how a block is marked.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readBlocks, type PageBlock } from '../support/documents/page-blocks';
import { missingPrograms } from '../support/documents/page-folder';
import { PageRunner } from '../support/documents/page-runner';
import { reportSkipped } from '../support/report-skipped';
import { readRepositoryFile, repository } from '../support/repository';
import { useResource } from '../support/use-resource';

const GUIDE = 'docs/guide';
/** The longest page starts several control planes and waits for its pods. */
const PAGE_MS = 300_000;

const pages = ['README.md', ...readdirSync(path.join(repository, GUIDE)).map((file) => `${GUIDE}/${file}`)].map((file) => ({
  file,
  blocks: readBlocks(file, readRepositoryFile(file)),
}));

const canRun = ({ type, text }: PageBlock): boolean => type !== 'notRun' && missingPrograms(text).length === 0;

const runnable = pages.map(({ file, blocks }) => ({ file, blocks: blocks.filter(canRun) })).filter(({ blocks }) => blocks.length > 0);

const runner = useResource(
  () => new PageRunner(runnable),
  (started) => started.stop(),
  PAGE_MS,
);

for (const { location, type, text } of pages.flatMap(({ blocks }) => blocks)) {
  const missing = type === 'notRun' ? [] : missingPrograms(text);
  if (missing.length > 0) reportSkipped(`the commands of ${location}`, `no ${missing.join(' and ')} on this machine`);
}

test.each(runnable)('the commands of $file succeed and have the shown output', (page) => runner().run(page), PAGE_MS);
