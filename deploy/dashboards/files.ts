/** The files of the dashboards, which `npm run reference` writes. Reads and writes none. */
import { API_SERVERS } from './api-server';
import { CONTROL_PLANE } from './control-plane';
import { CONTROLLERS } from './controllers';
import { dashboardText } from './dashboard';
import { ETCD } from './etcd';

/** Relative to the repository. */
export const DASHBOARD_FOLDER = 'deploy/compose/grafana/dashboards';

/** File name → text. */
export const DASHBOARD_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [CONTROL_PLANE, API_SERVERS, ETCD, CONTROLLERS].map((dashboard) => [`${dashboard.uid}.json`, dashboardText(dashboard)]),
);
