/** Determines which metric series grow with a request, for the recorder and the player. */
import { seriesGrowth, type Exposition } from '../../support/exposition';
import { listOf, number, shape, text } from '../shape';

/** A metric family in recordings. */
export const isMetricFamily = shape({ name: text, type: text, stability: text, labels: listOf(text), buckets: listOf(number) });

/**
 * Series that grow at any time, with the process, its connections and its own clients, and series of times and
 * bookmarks.
 */
const BACKGROUND_SERIES: readonly RegExp[] = [
  /^(?:go|grpc|process|nodejs|field_validation|rest_client|workqueue|kubernetes)_/,
  /^etcd_(?:lease|bookmark)/,
  /^etcd_.*operation="(?:listWithCount|list)"/,
  /^apiserver_admission_.*operation="UPDATE"/,
  // Reading the metrics grows these, on both servers.
  /^authenticat(?:ed_user_requests|ion_attempts\{result="success"|ion_duration_seconds\{result="success")/,
  /^authorization_(?:attempts_total|duration_seconds)\{result="allowed"/,
  /^apiserver_flowcontrol_(?!dispatched|request_execution|request_wait|work_est|rejected)/,
  /^apiserver_(?:current_in|storage_size|client_certificate|longrunning|request_timestamp|watch_cache_resource_version)/,
  /^apiserver_watch_cache_(?:events_dispatched|initializations)/,
  /^(?:watch_cache_capacity|authentication_token_cache_active|registered_metrics|hidden_metrics|disabled_metrics)/,
  // Computed when the metrics are read.
  /^(?:apiserver_storage_objects|watch_cache_)/,
  // Both servers watch these kinds themselves.
  /^apiserver_watch_events.*kind="(?!PodTemplate|Thing)/,
];

/** Whether only requests of clients make the series grow. */
export const isCausedByRequest = (series: string): boolean => !BACKGROUND_SERIES.some((pattern) => pattern.test(series));

/** The growth by series, sorted, without `idleSeries` and background series. */
export function growthByRequest(
  before: Exposition,
  after: Exposition,
  idleSeries: ReadonlySet<string>,
): readonly (readonly [series: string, growth: number])[] {
  return [...seriesGrowth(before, after)]
    .filter(([series]) => !idleSeries.has(series) && isCausedByRequest(series))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
