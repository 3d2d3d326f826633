// The client is made from the description that the tests of the service keep up to date.
export default {
  input: '../../../apiserver/testdata/openapi.json',
  output: { path: 'src/generated', importFileExtension: '.js' },
  logs: { level: 'warn' },
};
