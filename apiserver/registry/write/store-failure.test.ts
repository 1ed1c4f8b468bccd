import { StatusError } from '../../../shared/api/errors/status';
import { StoreError } from '../../storage/store';
import { writeFailure } from './store-failure';

const gr = { group: '', resource: 'configmaps' };

it('says that an outcome is unknown', () => {
  const told = writeFailure(new StoreError('ambiguous', 'lost'), 'update', gr, 'a');
  expect(told).toBeInstanceOf(StatusError);
  expect(told).toMatchObject({
    status: {
      code: 504,
      message: 'Timeout: the outcome of the update of configmaps "a" is unknown: it may or may not have been stored',
    },
  });
});

it('leaves faults of ours and refusals as they are', () => {
  for (const error of [new StoreError('internal', 'x'), new Error('x'), new StatusError('BadRequest', 'x')]) {
    expect(writeFailure(error, 'create', gr, 'a')).toBe(error);
  }
});
