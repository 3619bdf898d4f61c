import javax.persistence.EntityManager;
import javax.persistence.EntityTransaction;

/** Transactions. */
class Trades {
    void save(EntityManager em, Object o) {
        EntityTransaction t = em.getTransaction();
        t.begin();
        try {
            em.persist(o);
            t.commit();
        } catch (RuntimeException e) {
            t.rollback();
            throw e;
        }
    }

    boolean saveForgets(EntityManager em, Object o) {
        EntityTransaction t = em.getTransaction();
        t.begin(); // expect: transaction-without-end
        if (o == null) {
            return false;
        }
        em.persist(o);
        t.commit();
        return true;
    }

    void saveThrows(EntityManager em, Object o) {
        EntityTransaction t = em.getTransaction();
        t.begin(); // expect: transaction-without-end
        if (o == null) {
            throw new IllegalArgumentException("nothing");
        }
        em.persist(o);
        t.commit();
    }

    void finallyRollsBack(EntityManager em, Object o) {
        EntityTransaction t = em.getTransaction();
        t.begin();
        boolean done = false;
        try {
            em.persist(o);
            t.commit();
            done = true;
        } finally {
            if (!done) {
                t.rollback();
            }
        }
    }

    void direct(EntityManager em, Object o) {
        em.getTransaction().begin();
        em.persist(o);
        em.getTransaction().commit();
    }

    void directForgets(EntityManager em, Object o) {
        em.getTransaction().begin(); // expect: transaction-without-end
        if (o != null) {
            em.persist(o);
            em.getTransaction().commit();
        }
    }
}
