import { omitZeros } from './omit-zeros';

test('omitZeros leaves out members that are 0 or null, except required ones', () => {
  expect(omitZeros({ replicas: 0, readyReplicas: 0, updatedReplicas: 2, message: '', since: null }, 'replicas')).toEqual({
    replicas: 0,
    updatedReplicas: 2,
    message: '',
  });
});
