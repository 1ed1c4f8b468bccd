import { API_SERVERS } from './api-server';
import { CONTROL_PLANE } from './control-plane';
import { CONTROLLERS } from './controllers';
import { dashboardText, type Dashboard, type Panel } from './dashboard';
import { ETCD } from './etcd';

const DASHBOARDS = [CONTROL_PLANE, API_SERVERS, ETCD, CONTROLLERS].map((dashboard) => [dashboard.title, dashboard] as const);

const panel = (title: string, changes: Partial<Panel> = {}): Panel => ({
  ...{ title, description: 'd', type: 'timeseries', unit: 'short', queries: [{ expr: 'up' }] },
  ...changes,
});
/** The x, y, width and height of the title of a row and of its panels, in columns and lines of the grid. */
const positionsIn = (panels: readonly Panel[]): readonly (readonly number[])[] => {
  const dashboard: Dashboard = { uid: 'u', title: 't', description: 'd', variables: [], rows: [{ title: 'r', panels }] };
  const matches = dashboardText(dashboard).matchAll(/"gridPos": \{\s+"x": (\d+),\s+"y": (\d+),\s+"w": (\d+),\s+"h": (\d+)/g);
  return [...matches].map(([, ...numbers]) => numbers.map(Number));
};

describe('dashboardText', () => {
  it('places panels from left to right below the title of their row, and starts a line when one does not fit', () => {
    expect(positionsIn([panel('a'), panel('b', { width: 12 }), panel('c')])).toEqual([
      [0, 0, 24, 1],
      [0, 1, 8, 8],
      [8, 1, 12, 8],
      [0, 9, 8, 8],
    ]);
  });

  it('colors falling values from red to green, others from green to red', () => {
    const text = (changes: Partial<Panel>): string =>
      dashboardText({ uid: 'u', title: 't', description: 'd', variables: [], rows: [{ title: 'r', panels: [panel('a', changes)] }] });
    const colors = (changes: Partial<Panel>): readonly (string | undefined)[] =>
      [...text(changes).matchAll(/"color": "(\w+)"/g)].map(([, color]) => color);
    expect(colors({ thresholds: { warning: 1, critical: 2 } })).toEqual(['green', 'yellow', 'red']);
    expect(colors({ thresholds: { warning: 2, critical: 1, direction: 'falling' } })).toEqual(['red', 'yellow', 'green']);
  });
});

describe.each(DASHBOARDS)('the dashboard %s', (_title, { rows, variables }) => {
  const panels = rows.flatMap((row) => row.panels);

  it('describes every panel with sentences', () => {
    const undescribed = panels.filter(({ description }) => !/^[A-Z0-9].*\.$/s.test(description));
    expect(undescribed.map(({ title }) => title)).toEqual([]);
  });

  it('has titles that differ, and panels with one to three queries', () => {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { queries } of panels) expect([1, 2, 3]).toContain(queries.length);
  });

  it('uses only its own variables, and each of them', () => {
    const used = new Set(panels.flatMap(({ queries }) => queries.flatMap(({ expr }) => expr.match(/\$(?!__)\w+/g) ?? [])));
    expect([...used].toSorted()).toEqual(variables.map(({ name }) => `$${name}`).toSorted());
  });
});
