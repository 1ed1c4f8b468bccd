/**
 * `npm run reference`: writes the pages of docs/reference and the dashboards of Grafana. A development tool, which no
 * program of the product uses.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DASHBOARD_FILES, DASHBOARD_FOLDER } from '../dashboards/files';
import { chartPage } from './chart-values';
import { GENERATED, PAGES } from './pages';

const FOLDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/reference': {
    ...Object.fromEntries(Object.entries(PAGES).map(([file, pageText]) => [file, pageText()])),
    'chart.md': chartPage(readFileSync('deploy/chart/values.yaml', 'utf8'), GENERATED),
  },
  [DASHBOARD_FOLDER]: DASHBOARD_FILES,
};

for (const [folder, files] of Object.entries(FOLDERS)) {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  process.stdout.write(`${folder}: ${Object.keys(files).join(', ')}\n`);
}
