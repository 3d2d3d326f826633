// The client is made from the description that the running service publishes.
export default { input: `${process.env.REELOPS_URL}/openapi.json`, output: { path: 'generated/client', importFileExtension: '.js' }, logs: { level: 'warn' } };
