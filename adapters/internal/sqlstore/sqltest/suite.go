package sqltest

import "testing"

// Run runs all tests on the driver. The test binary's TestMain must call [Main]
// with the same opener, since some tests start the binary again.
func Run(t *testing.T, opener Opener) {
	// The races come first and alone: they load the disk enough by themselves.
	for _, topic := range races() {
		t.Run(topic.name, func(t *testing.T) { topic.run(t, opener) })
	}
	for _, topic := range topics() {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.run(t, opener)
		})
	}
}

type topic struct {
	name string
	run  func(*testing.T, Opener)
}

func races() []topic {
	return []topic{
		{"STO-3 creation race", testCreationRace},
		{"STO-6 take-over race", testTakeOverRace},
		{"STO-3 migration race", testMigrationRace},
		{"TIME-10 extras race", testExtrasRace},
	}
}

func topics() []topic {
	return []topic{
		{"STO-2 modes", testModes},
		{"STO-2 wider modes stay and are told", testWiderModes},
		{"STO-2 which modes are told", testToldModes},
		{"STO-5 paths that hold no database", testRefusedPaths},
		{"STO-5 files of others", testForeignFiles},
		{"STO-5 newer schema", testNewer},
		{"STO-5 another writer of the schema", testNewerLater},
		{"STO-5 no permission", testDenied},
		{"STO-5 disk full", testDiskFull},
		{"STO-5 read-only disk", testReadOnlyDisk},
		{"STO-5 empty file", testEmptyFile},
		{"STO-5 damage", testDamage},
		{"STO-5 broken rows", testBrokenRows},
		{"CMD-5 reading makes nothing", testReadingMakesNothing},
		{"links", testLinks},
		{"STO-1 settings", testSettings},
		{"STO-1 deleted is overwritten", testSecureDelete},
		{"CARE-2 backup", testBackup},
		{"CARE-2 backup refused", testBackupRefused},
		{"CARE-3 restore", testRestore},
		{"CARE-3 restore of an outbox", testRestoreOutbox},
		{"CARE-3 restore refused", testRestoreRefused},
		{"CARE-3 restore of an old database", testRestoreOld},
		{"CARE-4 vacuum waits for readers", testVacuumWaits},
		{"CARE-4 erased by purge", testErasedByPurge},
		{"CARE-4 erased by vacuum", testErasedByVacuum},
		{"STO-1 log mode is restored", testLogMode},
		{"PULL-11 deadline ends a query", testDeadlineEndsQuery},
		{"a swallowed failure does not commit", testSwallowed},
		{"leave", testLeave},
		{"PULL-12 versions tell of commits", testVersion},
		{"PULL-14 keys are looked up", testKeyIndex},
		{"migration", testMigration},
		{"TIME-10 extras", testExtras},
		{"STO-6 take-over", testTakeOver},
		{"STO-6 take-over with filters", testTakeOverFilters},
		{"STO-6 take-over cut short", testTakeOverCut},
		{"STO-6 take-over killed", testTakeOverKilled},
		{"STO-6 copies are never overwritten", testCopies},
	}
}
