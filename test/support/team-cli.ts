import '../../main/cli/index.ts'

// The command line in one file, for tests that start server and collectors many times.
