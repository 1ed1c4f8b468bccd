/**
 * Dashboards as tables, and their form as JSON for Grafana: layout, identifiers and options that all panels share. The
 * result depends on the table only, so that a test can compare it with the committed file. Knows no metric.
 */

/** A query of Prometheus. */
export interface Query {
  readonly expr: string;
  /** The name of a series in the legend, with labels in braces: `{{instance}}`. Unused in tables. */
  readonly legend?: string;
}

/** Grafana's names of units. */
export type Unit = 'short' | 'percentunit' | 's' | 'bytes' | 'Bps' | 'reqps' | 'ops';

/** One diagram or table of a dashboard. */
export interface Panel {
  readonly title: string;
  /** What the panel shows, and what a bad value means. */
  readonly description: string;
  readonly type: 'timeseries' | 'stat' | 'table';
  readonly unit: Unit;
  /** The panel is yellow from `warning` on and red from `critical` on; with `falling` it is so below these values. */
  readonly thresholds?: { readonly warning: number; readonly critical: number; readonly direction?: 'falling' };
  /** The number of the 24 columns that the panel takes; 8 by default. */
  readonly width?: number;
  readonly queries: readonly Query[];
}

/** Panels under a common heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A variable of which users choose some values or all. */
export interface Variable {
  readonly name: string;
  readonly label: string;
  /** `label_values(…)` */
  readonly query: string;
}

/** What Grafana shows on one page. */
export interface Dashboard {
  /** Part of the URL in Grafana; a changed one breaks links. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

/** Units of Grafana's grid: the width of a dashboard is 24, and three panels stand side by side. */
const COLUMNS = 24;
const PANEL_WIDTH = 8;
const PANEL_HEIGHT = 8;
const STAT_HEIGHT = 4;
const DATA_SOURCE = { type: 'prometheus', uid: 'prometheus' };
const TAG = 'control-plane';
/** The version of Grafana's format of dashboards; newer releases of Grafana convert it. */
const SCHEMA_VERSION = 39;
/** Grafana's codes for when it queries the values of a variable again, and how it sorts them. */
const REFRESH_ON_TIME_RANGE_CHANGE = 2;
const SORT_ALPHABETICALLY = 1;

/** Marks the times at which alerts fire in all panels with a time axis. */
const ALERT_ANNOTATIONS = {
  name: 'Alerts',
  datasource: DATA_SOURCE,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertstate="firing",severity=~"warning|critical"}',
  titleFormat: '{{alertname}}',
  textFormat: '{{instance}}',
};

/** The file content for Grafana's provisioning. */
export function dashboardText(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboardJson(dashboard), undefined, 2)}\n`;
}

function dashboardJson({ uid, title, description, variables, rows }: Dashboard): object {
  return {
    uid,
    title,
    description,
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: false,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    tags: [TAG],
    links: [{ title: 'Control plane', type: 'dashboards', tags: [TAG], asDropdown: false, includeVars: false, keepTime: true }],
    templating: { list: variables.map(variableJson) },
    annotations: { list: [ALERT_ANNOTATIONS] },
    panels: layOut(rows),
  };
}

const variableJson = ({ name, label, query }: Variable): object => ({
  name,
  label,
  type: 'query',
  datasource: DATA_SOURCE,
  query: { query, refId: name },
  refresh: REFRESH_ON_TIME_RANGE_CHANGE,
  sort: SORT_ALPHABETICALLY,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
});

/** Places the panels of each row from left to right, in lines as high as their highest panel. */
function layOut(rows: readonly Row[]): readonly object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({ id: placed.length + 1, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: COLUMNS, h: 1 } });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of panels) {
      const { width = PANEL_WIDTH } = panel;
      const height = panel.type === 'stat' ? STAT_HEIGHT : PANEL_HEIGHT;
      if (x + width > COLUMNS) [x, y, lineHeight] = [0, y + lineHeight, 0];
      placed.push(panelJson(panel, placed.length + 1, { x, y, w: width, h: height }));
      x += width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
  }
  return placed;
}

interface GridPosition {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const FIRST_QUERY = 'A'.codePointAt(0) ?? 0;

const TYPE_OPTIONS: Readonly<Record<Panel['type'], object>> = {
  timeseries: {
    options: {
      legend: { displayMode: 'table', placement: 'bottom', calcs: ['max', 'lastNotNull'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  },
  stat: { options: { colorMode: 'value', graphMode: 'none', textMode: 'value_and_name', reduceOptions: { calcs: ['lastNotNull'] } } },
  table: { transformations: [{ id: 'organize', options: { excludeByName: { Time: true, __name__: true, alertstate: true } } }] },
};

function panelJson(panel: Panel, id: number, gridPos: GridPosition): object {
  const { title, description, type, unit, queries } = panel;
  const defaults = { unit, ...(type === 'timeseries' ? { min: 0 } : {}), ...thresholdsJson(panel) };
  return {
    id,
    title,
    description,
    type,
    datasource: DATA_SOURCE,
    gridPos,
    fieldConfig: { defaults, overrides: [] },
    ...TYPE_OPTIONS[type],
    targets: queries.map(({ expr, legend = '' }, index) => ({
      refId: String.fromCodePoint(FIRST_QUERY + index),
      expr,
      legendFormat: legend,
      ...(type === 'timeseries' ? {} : { instant: true }),
      ...(type === 'table' ? { format: 'table' } : {}),
    })),
  };
}

/** How a panel shows its thresholds; a stat colors its value without an option. */
const THRESHOLD_DISPLAY: Readonly<Record<Panel['type'], object | undefined>> = {
  timeseries: { thresholdsStyle: { mode: 'dashed' } },
  stat: undefined,
  table: { cellOptions: { type: 'color-text' } },
};

function thresholdsJson({ type, thresholds }: Panel): object {
  if (thresholds === undefined) return {};
  const { warning, critical, direction } = thresholds;
  const steps =
    direction === 'falling'
      ? [step('red', null), step('yellow', critical), step('green', warning)]
      : [step('green', null), step('yellow', warning), step('red', critical)];
  const display = THRESHOLD_DISPLAY[type];
  return {
    thresholds: { mode: 'absolute', steps },
    ...(display === undefined ? {} : { custom: display }),
    ...(type === 'timeseries' ? {} : { color: { mode: 'thresholds' } }),
  };
}

/** The color of values from `value` on; `null` for the lowest values. */
const step = (color: string, value: number | null): object => ({ color, value });
