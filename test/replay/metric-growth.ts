/** Which series a request has made grow: what a recorder and its replay look at alike. */
import { seriesGrowth, type Exposition } from '../support/exposition';

/** What the process, its connections and its own clients do at any time, and what counts time or bookmarks. */
const BACKGROUND_SERIES: readonly RegExp[] = [
  /^(?:go|grpc|process|nodejs|field_validation|rest_client|workqueue|kubernetes)_/,
  /^etcd_(?:lease|bookmark)/,
  /^etcd_.*operation="(?:listWithCount|list)"/,
  /^apiserver_admission_.*operation="UPDATE"/,
  // Looking grows these, on both servers.
  /^authenticat(?:ed_user_requests|ion_attempts\{result="success"|ion_duration_seconds\{result="success")/,
  /^authorization_(?:attempts_total|duration_seconds)\{result="allowed"/,
  /^apiserver_flowcontrol_(?!dispatched|request_execution|request_wait|work_est|rejected)/,
  /^apiserver_(?:current_in|storage_size|client_certificate|longrunning|request_timestamp|watch_cache_resource_version)/,
  /^apiserver_watch_cache_(?:events_dispatched|initializations)/,
  /^(?:watch_cache_capacity|authentication_token_cache_active|registered_metrics|hidden_metrics|disabled_metrics)/,
  // Read from elsewhere when somebody looks.
  /^(?:apiserver_storage_objects|watch_cache_)/,
  // Both servers follow these themselves.
  /^apiserver_watch_events.*kind="(?!PodTemplate|Thing)/,
];

/** Whether a request is what makes it grow. */
export const isCausedByRequest = (series: string): boolean => !BACKGROUND_SERIES.some((pattern) => pattern.test(series));

/** Sorted; without what grows anyhow. */
export function growthByRequest(
  before: Exposition,
  after: Exposition,
  idleSeries: ReadonlySet<string>,
): readonly (readonly [string, number])[] {
  return [...seriesGrowth(before, after)]
    .filter(([series]) => !idleSeries.has(series) && isCausedByRequest(series))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
