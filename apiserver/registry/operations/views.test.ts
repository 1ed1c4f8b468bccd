import { ownMember, type JsonObject } from '../../../shared/values/json';
import { COMPONENT_STATUS } from '../../../shared/api/kinds/virtual';
import { tableConvertor } from '../../printers/table';
import { objectOf } from '../../../test/support/store/write-fixture';
import { componentStatusView, createViews } from './views';

const readComponentStatus = async (storeError: string | undefined): Promise<JsonObject> => {
  const views = createViews({ componentstatuses: componentStatusView(() => Promise.resolve(storeError)) }, [COMPONENT_STATUS]);
  return objectOf(await views.get({ row: COMPONENT_STATUS, stored: undefined }, 'etcd-0'));
};

test('componentstatuses reports a store that does not respond as unhealthy', async () => {
  const object = await readComponentStatus('no answer');
  expect(ownMember(object, 'conditions')).toEqual([{ type: 'Healthy', status: 'False', message: 'no answer' }]);
  expect(tableConvertor.rowCells(COMPONENT_STATUS, object)).toEqual(['etcd-0', 'Unhealthy', 'no answer', '']);
});

test('the table of componentstatuses shows Unknown without a condition', () => {
  expect(tableConvertor.rowCells(COMPONENT_STATUS, { metadata: { name: 'x' } })).toEqual(['x', 'Unknown', '', '']);
});

test('createViews throws for a kind without a view', () => {
  expect(() => createViews({}, [COMPONENT_STATUS])).toThrow('no view for componentstatuses');
});
